#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/case_folding.h"
#include "engine/index/document_record.h"
#include "engine/index/index_keys.h"
#include "engine/index/json_document.h"

namespace millrace {
namespace {

TEST(IndexKeys, SortAsTheirValuesDo) {
  const int64_t integers[] = {INT64_MIN, -(int64_t{1} << 53) - 1, -(int64_t{1} << 53),    -1,       0,
                              1,         int64_t{1} << 53,        (int64_t{1} << 53) + 1, INT64_MAX};
  std::string before;
  for (const int64_t value : integers) {
    std::string key;
    append_integer_key(key, value);
    EXPECT_LT(before, key);
    EXPECT_EQ(integer_of_key(key), value);
    before = key;
  }
  const double infinity = std::numeric_limits<double>::infinity();
  before.clear();
  for (const double value : {-infinity, -1e300, -1.5, -5e-324, 0.0, 5e-324, 0.1, 1.0, 1e300, infinity}) {
    std::string key;
    append_number_key(key, value);
    EXPECT_LT(before, key);
    EXPECT_EQ(number_of_key(key), value);
    before = key;
  }
  before.clear();
  for (const std::string& value : {std::string(), std::string("\0", 1), std::string("\0\0", 2), std::string("\0\1", 2),
                                   std::string("\1"), std::string("\1\1"), std::string("a"), std::string("a\0", 2),
                                   std::string("ab"), std::string("b"), std::string("\xff")}) {
    std::string key;
    append_text_key(key, value);
    EXPECT_LT(before, key);
    EXPECT_EQ(text_key_size(key + "rest"), key.size());
    ByteView bytes = key;
    EXPECT_EQ(take_text(bytes), value);
    EXPECT_TRUE(bytes.empty());
    before = key;
  }
}

TEST(CaseFolding, FoldsEachCharacterToOneOther) {
  EXPECT_EQ(fold_case("Straße ÄÖÜ ΑΒΓ Δ ЖЗ ẞ"), "straße äöü αβγ δ жз ß");
  EXPECT_EQ(fold_case("K"), "k") << "the sign for Kelvin";
  EXPECT_EQ(fold_case("\xff\xc3 A\xe4"), "\xff\xc3 a\xe4") << "what is not UTF-8 stays";
}

IndexSchema schema_of_all() {
  IndexSchema schema("p", true);
  EXPECT_TRUE(schema.add_field({.name = "n.i", .type = FieldType::Integer}));
  EXPECT_TRUE(schema.add_field({.name = "d", .type = FieldType::Number}));
  EXPECT_TRUE(schema.add_field({.name = "t"}));
  return schema;
}

std::string shown(const IndexSchema& schema, const DocumentValues& values) {
  std::string text;
  for (const DocumentValue& value : values.values) {
    const IndexField& field = *schema.find_field(value.field);
    ByteView key = value.key;
    text += field.name + "=" + take_value(field, key) + " ";
  }
  for (const SkippedValue& skipped : values.skipped) text += std::string(text_of(skipped.reason)) + "; ";
  return text;
}

TEST(JsonDocuments, GivesTheValuesAtItsPaths) {
  const IndexSchema schema = schema_of_all();
  JsonDocuments documents;
  const struct {
    const char* json;
    const char* values;
  } rows[] = {
      {R"({"n":{"i":9007199254740993},"d":1.5,"t":"x"})", "n.i=9007199254740993 d=1.5 t=x "},
      {R"({"n":[{"i":1},{"i":2}],"t":["b","a","b",["c"]]})", "n.i=1 n.i=2 t=a t=b t=c "},
      {R"({"n":{"i":3.0},"d":7,"t":null})", "n.i=3 d=7 "},
      {R"({"n":{"i":3.5},"d":"7","t":true})", "t=true not an integer; not a number; "},
      {R"({"n":{"i":18446744073709551615},"d":18446744073709551615})", "d=18446744073709551616 not an integer; "},
      {R"({"n":1,"t":{"x":1}})", ""},
      {"not JSON", "not JSON; "},
      {"", "not JSON; "},
      {"[1]", ""},
  };
  for (const auto& row : rows) {
    DocumentValues values;
    documents.read(row.json, schema, values);
    values.finish();
    EXPECT_EQ(shown(schema, values), row.values) << row.json;
  }
  const ByteView paths[] = {"a.b", "c", "d"};
  const auto held = documents.show(R"({"a":{"b":[1,"x"]},"c":"text"})", paths);
  EXPECT_EQ(held, (std::vector<std::optional<std::string>>{"[1,\"x\"]", "text", std::nullopt}));
}

TEST(JsonDocuments, AnArrayIsLookedThroughToItsEndOrSkipped) {
  const IndexSchema schema = schema_of_all();
  const auto read = [&](size_t empty) {
    std::string json = R"({"d":[)";
    for (size_t i = 0; i < empty; ++i) json += "[],";
    DocumentValues values;
    JsonDocuments().read(json + "7]}", schema, values);
    values.finish();
    return shown(schema, values);
  };
  EXPECT_EQ(read(2 * kMaxValuesOfField), read(0));
  EXPECT_NE(read(20 * kMaxValuesOfField).find("more than 1000 values"), std::string::npos);
}

TEST(DocumentValues, OfNothingButSeparatorsAreNoneHoweverLong) {
  IndexSchema schema("d:", false);
  ASSERT_TRUE(schema.add_field({.name = "tags", .separator = ","}));
  DocumentValues values;
  values.add(schema.fields()[0], std::string(kMaxSplitText, ','));
  values.finish();
  EXPECT_TRUE(values.values.empty() && values.skipped.empty());
  values.add(schema.fields()[0], std::string(kMaxSplitText + 1, ','));
  values.finish();
  EXPECT_EQ(shown(schema, values), "larger than 1 MiB; ");
}

TEST(DocumentRecord, HoldsWhatItWasGiven) {
  const IndexSchema schema = schema_of_all();
  DocumentValues values;
  for (const int64_t value : {INT64_MIN, int64_t{-1}, int64_t{0}, int64_t{300}, INT64_MAX}) {
    values.add(schema.fields()[0], value);
  }
  for (const double value : {-1e300, -0.5, 0.0, 25.0, 0.1}) values.add(schema.fields()[1], value);
  for (const char* value : {"", "a", "b"}) values.add(schema.fields()[2], ByteView(value));
  values.expires_at = UnixMs(1'700'000'000'000);
  values.finish();
  std::string record;
  append_record(record, schema, values);
  EXPECT_EQ(record_size(record + "x"), record.size());
  EXPECT_EQ(own_record_size(record.c_str()), record.size());
  EXPECT_TRUE(is_typed_record(schema, record));
  DocumentValues read;
  read_record(schema, record, read);
  EXPECT_EQ(read.values, values.values);
  EXPECT_EQ(read.expires_at, values.expires_at);
  for (size_t cut = 0; cut < record.size(); ++cut) EXPECT_EQ(record_size(ByteView(record).substr(0, cut)), 0U);
}

TEST(DocumentValues, TakeAllPartsOfATextThatAreDifferentHoweverOftenTheyCome) {
  IndexSchema schema("p", false);
  ASSERT_TRUE(schema.add_field({.name = "tags", .separator = ","}));
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "a,";
  DocumentValues values;
  values.add(schema.fields()[0], text + "b");
  values.finish();
  EXPECT_EQ(values.values.size(), 2u);
  EXPECT_TRUE(values.skipped.empty());

  for (size_t i = 0; i < kMaxPartsOfField; ++i) text += "a,";
  values.clear();
  values.add(schema.fields()[0], text + "b");
  values.finish();
  ASSERT_EQ(values.skipped.size(), 1u);
  EXPECT_EQ(values.skipped.front().reason, SkipReason::TooMany);
}

TEST(IndexSchema, GivesNoIdThatASavedIndexCouldNotHave) {
  IndexSchema schema("p", false);
  ASSERT_TRUE(schema.add_field({.name = "a"}));
  schema.set_next_id(UINT32_MAX - 2);
  ASSERT_TRUE(schema.add_field({.name = "b"}));
  EXPECT_EQ(schema.add_field({.name = "c"}).error().code, ErrorCode::Full);
  EXPECT_EQ(schema.add_order({.name = "both", .fields = {"a", "b"}}).error().code, ErrorCode::Full);
  EXPECT_LT(schema.next_id(), UINT32_MAX);
}

}  // namespace
}  // namespace millrace
