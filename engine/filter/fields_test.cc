#include "engine/filter/fields.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

namespace millrace {
namespace {

TEST(Fields, AFieldHasOneIdHoweverManyUseIt) {
  Fields fields;
  const FieldId name = fields.use("owner.name");
  EXPECT_EQ(fields.use("owner.name"), name);
  EXPECT_NE(fields.use("owner"), name);
  EXPECT_EQ(fields.find("owner.name"), name);
  EXPECT_EQ(fields.path(name), "owner.name");
  EXPECT_EQ(fields.check(), nullptr);
}

TEST(Fields, APathIsNotThePathsItLeadsThrough) {
  Fields fields;
  fields.use("a.b.c");
  EXPECT_EQ(fields.find("a"), FieldId::none());
  EXPECT_EQ(fields.find("a.b"), FieldId::none());
  EXPECT_EQ(fields.find("a.b.c.d"), FieldId::none());
  EXPECT_EQ(fields.find("b"), FieldId::none());
  EXPECT_EQ(fields.find(""), FieldId::none());
}

TEST(Fields, AFieldIsKeptUntilTheLastUseIsReleased) {
  Fields fields;
  const FieldId a = fields.use("a");
  fields.use("a");
  const FieldId b = fields.use("a.b");
  fields.release(a);
  EXPECT_EQ(fields.find("a"), a);
  fields.release(a);
  EXPECT_EQ(fields.find("a"), FieldId::none());
  EXPECT_EQ(fields.find("a.b"), b);
  EXPECT_EQ(fields.check(), nullptr);
  fields.release(b);
  EXPECT_EQ(fields.root().children, nullptr);
  EXPECT_EQ(fields.limit(), 0u);
  EXPECT_EQ(fields.memory(), Fields().memory());
}

TEST(Fields, AFreeIdIsGivenToAnother) {
  Fields fields;
  const FieldId a = fields.use("a");
  const FieldId b = fields.use("b");
  fields.release(a);
  EXPECT_EQ(fields.use("c"), a);
  EXPECT_EQ(fields.limit(), 2u);
  EXPECT_EQ(fields.find("b"), b);
  EXPECT_EQ(fields.check(), nullptr);
}

TEST(Fields, NamesMayBeEmptyOrHoldAnything) {
  Fields fields;
  std::map<std::string, FieldId> ids;
  for (const char* path : {".", "a.", ".a", "a..b", "a", "a.b", " ", "\xc3\xbc.$", "[0]"}) ids[path] = fields.use(path);
  for (const auto& [path, id] : ids) EXPECT_EQ(fields.find(path), id) << path;
  EXPECT_EQ(fields.check(), nullptr);
  for (const auto& [path, id] : ids) fields.release(id);
  EXPECT_EQ(fields.root().children, nullptr);
}

TEST(Fields, RandomUsesAndReleasesAgreeWithAMap) {
  std::mt19937_64 random(1);
  Fields fields;
  std::map<std::string, std::pair<FieldId, int>> model;
  for (int step = 0; step < 5000; ++step) {
    std::string path(1, static_cast<char>('a' + random() % 3));
    for (uint64_t more = random() % 4; more > 0; --more) path += {'.', static_cast<char>('a' + random() % 3)};
    if (random() % 2 == 0) {
      const FieldId field = fields.use(path);
      auto& [id, uses] = model.try_emplace(path, field, 0).first->second;
      ASSERT_EQ(id, field);
      ++uses;
    } else if (const auto known = model.find(path); known != model.end()) {
      fields.release(known->second.first);
      if (--known->second.second == 0) model.erase(known);
    }
    ASSERT_EQ(fields.find(path), model.contains(path) ? model[path].first : FieldId::none());
    ASSERT_EQ(fields.check(), nullptr);
    ASSERT_LE(fields.limit(), 3u + 9 + 27 + 81);
  }
}

}  // namespace
}  // namespace millrace
