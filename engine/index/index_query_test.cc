#include "engine/index/index_query.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "engine/index/index_operations.h"
#include "engine/index/index_parts.h"

namespace millrace {
namespace {

constexpr HashKey kHash{1, 2, 3};
constexpr UnixMs kNow{1'000};

std::string words(const std::string& start, size_t count) {
  std::string joined;
  for (size_t i = 0; i < count; ++i) joined += start + std::to_string(i) + ",";
  return joined;
}

Index tagged_index() {
  IndexSchema schema("d:", false);
  EXPECT_TRUE(schema.add_field({.name = "tags", .separator = ","}));
  EXPECT_TRUE(schema.add_field({.name = "colours", .separator = ","}));
  EXPECT_TRUE(schema.add_order({.name = "both", .fields = {"tags", "colours"}}));
  return {schema, kHash};
}

void set_words(Index& index, ByteView name, const std::string& tags, const std::string& colours) {
  DocumentValues values;
  values.add(index.schema().fields()[0], tags);
  values.add(index.schema().fields()[1], colours);
  values.finish();
  index.set(name, values);
  ASSERT_TRUE(index.agrees(name, values));
}

const std::vector<FieldCondition> kTagAndColour = {{"tags", FieldCondition::Operator::Equal, {"t1"}},
                                                   {"colours", FieldCondition::Operator::Equal, {"c1"}}};

TEST(IndexCompare, SaysWhatIsWrongWithADocument) {
  Index index = tagged_index();
  DocumentValues values;
  values.add(index.schema().fields()[0], "a");
  values.expires_at = kNow;
  values.finish();
  EXPECT_EQ(index.compare("d", nullptr, kNow), DocumentState::NoDocument);
  EXPECT_EQ(index.compare("d", &values, kNow), DocumentState::Missing);
  index.set("d", values);
  EXPECT_EQ(index.compare("d", &values, kNow), DocumentState::Agrees);
  EXPECT_EQ(index.compare("d", nullptr, kNow), DocumentState::Stale);
  EXPECT_EQ(index.compare("d", nullptr, kNow + 1), DocumentState::NoDocument) << "a replica waits for its master";
  values.expires_at = std::nullopt;
  EXPECT_EQ(index.compare("d", &values, kNow), DocumentState::Wrong);
}

TEST(IndexQuery, FindsADocumentThatHasTooManyKeysForAnOrder) {
  IndexOperations operations(kHash);
  Index index = tagged_index();
  set_words(index, "many", words("t", 40), words("c", 40));
  set_words(index, "few", words("t", 2), words("c", 2));
  ASSERT_STREQ(index.check(), nullptr);
  EXPECT_EQ(operations.count(&index, {kTagAndColour}, kNow), 2U);
  const auto skipped = operations.skipped(&index, 10);
  ASSERT_TRUE(skipped && skipped->size() == 1);
  EXPECT_EQ(skipped->front().key, "d:many");
  EXPECT_EQ(skipped->front().field, "both");
  EXPECT_EQ(skipped->front().reason, SkipReason::TooMany);

  set_words(index, "many", words("t", 2), words("c", 2));
  EXPECT_EQ(operations.count(&index, {kTagAndColour}, kNow), 2U);
  EXPECT_EQ(index.skipped(), 0U);
  ASSERT_STREQ(index.check(), nullptr);
}

// One value may meet one condition, and another one the next: an order of two fields does not say which.
TEST(IndexQuery, CountsWhatSeveralConditionsOnAFieldWithManyValuesLeave) {
  using Operator = FieldCondition::Operator;
  IndexOperations operations(kHash);
  IndexSchema schema("d:", false);
  ASSERT_TRUE(schema.add_field({.name = "a", .type = FieldType::Integer, .separator = ","}));
  ASSERT_TRUE(schema.add_field({.name = "b", .type = FieldType::Integer}));
  ASSERT_TRUE(schema.add_order({.name = "both", .fields = {"b", "a"}}));
  Index index(schema, kHash);
  const auto set = [&](ByteView name, ByteView a, ByteView b) {
    DocumentValues values;
    if (!a.empty()) values.add(index.schema().fields()[0], a);
    if (!b.empty()) values.add(index.schema().fields()[1], b);
    values.finish();
    index.set(name, values);
  };
  set("1", "1,2", "");
  set("2", "2", "5");
  set("3", "9", "5");
  set("4", "", "5");
  EXPECT_EQ(
      operations.count(
          &index, {{{"b", Operator::Equal, {"5"}}, {"a", Operator::AtLeast, {"1"}}, {"a", Operator::AtMost, {"3"}}}},
          kNow),
      1U);
}

TEST(IndexQuery, AnswersFromWhatItHasWhileAnOrderIsAdded) {
  IndexOperations operations(kHash);
  IndexSchema schema("d:", false);
  ASSERT_TRUE(schema.add_field({.name = "tags", .separator = ","}));
  ASSERT_TRUE(schema.add_field({.name = "colours", .separator = ","}));
  Index index(schema, kHash);
  set_words(index, "1", "t1", "c1");
  ASSERT_TRUE(index.add_order({.name = "both", .fields = {"tags", "colours"}}));
  index.set_work(IndexWork::Build);
  EXPECT_EQ(operations.count(&index, {kTagAndColour}, kNow), 1U);
  set_words(index, "2", "t1", "c1");
  EXPECT_EQ(operations.count(&index, {kTagAndColour}, kNow), 2U);
  set_words(index, "1", "t1", "c1");
  index.set_work(IndexWork::None);
  EXPECT_EQ(operations.count(&index, {kTagAndColour}, kNow), 2U);
  ASSERT_STREQ(index.check(), nullptr);
}

TEST(IndexQuery, FindsItInARestoredIndexToo) {
  IndexOperations operations(kHash);
  Index index = tagged_index();
  set_words(index, "many", words("t", 40), words("c", 40));
  Index restored(IndexSchema(), kHash);
  each_part(index, [&](const Part& part) {
    ASSERT_TRUE(restore_part(restored, static_cast<IndexPart>(part.kind), part.bytes));
  });
  ASSERT_STREQ(restored.check(), nullptr);
  EXPECT_EQ(operations.count(&restored, {kTagAndColour}, kNow), 1U);
  EXPECT_EQ(restored.skipped(), 1U);
}

// Every entry of a document with many values leads to all of them.
TEST(IndexQuery, LooksAtFewerEntriesOfDocumentsWithManyValues) {
  IndexOperations operations(kHash);
  Index index = tagged_index();
  std::set<std::string> expected;
  for (int i = 0; i < 20; ++i) {
    set_words(index, std::to_string(i), words("a-tag-of-some-length-", 1000), "");
    expected.insert("d:" + std::to_string(i));
  }
  FindRequest request;
  request.where = {{"tags", FieldCondition::Operator::AtLeast, {""}}};
  request.limit = kMostLookedAt;
  std::set<std::string> found;
  std::string cursor;
  size_t pages = 0;
  for (bool goes_on = true; goes_on; ++pages) {
    ASSERT_LT(pages, 1000U);
    const auto page = operations.find(&index, request, kNow);
    ASSERT_TRUE(page);
    for (const ListedDocument& each : page->documents) EXPECT_TRUE(found.insert(each.key).second);
    goes_on = page->cursor.has_value();
    if (goes_on) cursor = page->cursor->text();
    request.after = cursor;
  }
  EXPECT_EQ(found, expected);
  EXPECT_GT(pages, 20U * 1000 / kMostLookedAt + 10);
  EXPECT_EQ(operations.count(&index, {request.where}, kNow), expected.size());
}

TEST(IndexQuery, TakesNoCursorOfAnotherIndex) {
  IndexOperations operations(kHash);
  Index first = tagged_index();
  Index second = tagged_index();
  first.set_number(1);
  second.set_number(2);
  for (const char* name : {"a", "b"}) {
    set_words(first, name, "t1", "c1");
    set_words(second, name, "t1", "c1");
  }
  FindRequest request;
  request.limit = 1;
  const auto page = operations.find(&first, request, kNow);
  ASSERT_TRUE(page && page->cursor);
  const std::string cursor = page->cursor->text();
  request.after = cursor;
  EXPECT_TRUE(operations.find(&first, request, kNow));
  const auto refused = operations.find(&second, request, kNow);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Range);
}

TEST(ListedDocuments, GoOnBehindThoseThatWereKept) {
  IndexOperations operations(kHash);
  Index index = tagged_index();
  for (const char* name : {"a", "b", "c"}) set_words(index, name, "t1", "c1");
  FindRequest request;
  request.order = "tags";
  auto page = operations.find(&index, request, kNow);
  ASSERT_TRUE(page && page->documents.size() == 3 && !page->cursor);
  page->cut(2);
  ASSERT_TRUE(page->cursor);
  const std::string cursor = page->cursor->text();
  request.after = cursor;
  const auto rest = operations.find(&index, request, kNow);
  ASSERT_TRUE(rest && rest->documents.size() == 1);
  EXPECT_EQ(rest->documents[0].key, "d:c");
}

// Ranges of thousands of values must not be compared each with each.
TEST(KeyRanges, IntersectWhereBothAre) {
  const auto ranges = [](const std::vector<std::pair<std::string, std::string>>& pairs) {
    KeyRanges made;
    for (const auto& [from, to] : pairs) made.push_back({from, to});
    return made;
  };
  const auto text = [](const KeyRanges& shown) {
    std::string joined;
    for (const KeyRange& range : shown) joined += range.from + "-" + range.to + " ";
    return joined;
  };
  const KeyRanges some = ranges({{"b", "d"}, {"f", "h"}, {"k", ""}});
  EXPECT_EQ(text(intersection(some, everything())), "b-d f-h k- ");
  EXPECT_EQ(text(intersection(some, ranges({{"", "c"}, {"g", "h"}, {"h", "m"}, {"p", "q"}}))), "b-c g-h k-m p-q ");
  EXPECT_EQ(text(intersection(some, ranges({{"d", "f"}}))), "");
  EXPECT_EQ(text(intersection({}, some)), "");
}

TEST(UniqueLines, AFieldThatIsDroppedTakesItsLinesWithIt) {
  IndexSchema schema("d:", false);
  ASSERT_TRUE(schema.add_field({.name = "mail", .is_unique = true}));
  ASSERT_TRUE(schema.add_field({.name = "age"}));
  Index index(schema, kHash);
  for (const char* name : {"a", "b", "c"}) {
    DocumentValues values;
    values.add(schema.fields()[0], "same");
    values.finish();
    index.set(name, values);
  }
  EXPECT_EQ(index.conflicts(), 2U);
  auto dropped = index.drop_field("mail");
  ASSERT_TRUE(dropped);
  EXPECT_EQ(index.conflicts(), 0U);
  EXPECT_EQ(dropped->lines.size(), 2U);
  while (free_some(*dropped)) {
  }
  ASSERT_STREQ(index.check(), nullptr);
}

TEST(Index, IsFreedInPartsOfSomeHundredDocuments) {
  IndexSchema schema("d:", false);
  ASSERT_TRUE(schema.add_field({.name = "age"}));
  Index index(schema, kHash);
  constexpr size_t kDocuments = 10'000;
  for (size_t i = 0; i < kDocuments; ++i) {
    DocumentValues values;
    values.add(schema.fields()[0], std::to_string(i % 7));
    values.finish();
    index.set(std::to_string(i), values);
  }
  size_t parts = 1;
  while (index.free_some()) ++parts;
  EXPECT_GE(parts, kDocuments / 100);
}

}  // namespace
}  // namespace millrace
