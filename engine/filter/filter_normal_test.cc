#include "engine/filter/filter_normal.h"

#include <gtest/gtest.h>

#include <string>

namespace millrace {
namespace {

std::string normal(const std::string& json) {
  const auto read = parse_and_write_filter(json);
  if (!read) return read.error().text;
  EXPECT_EQ(read->json, filter_json(read->filter)) << json;
  return read->json;
}

struct Row {
  const char* name;
  const char* written;
  const char* normal;
};

TEST(NormalForm, IsOneForWhatMeansTheSame) {
  const Row rows[] = {
      {"of nothing", "{}", "{}"},
      {"a bare value", R"({"a":1})", R"({"a":{"$eq":1}})"},
      {"without $", R"({"a":{"gte":1}})", R"({"a":{"$gte":1}})"},
      {"order of fields", R"({"b":1,"a":2})", R"({"a":{"$eq":2},"b":{"$eq":1}})"},
      {"order of operators", R"({"a":{"$lt":5,"$gt":1}})", R"({"a":{"$gt":1,"$lt":5}})"},
      {"white space", " { \"a\" :\n1 } ", R"({"a":{"$eq":1}})"},
      {"numbers", R"({"a":{"$in":[2e0,1.0,10e-1]}})", R"({"a":{"$in":[1,2]}})"},
      {"escapes", R"({"\u0061":"\u0062\/"})", R"({"a":{"$eq":"b/"}})"},
      {"$in is sorted by kind and value", R"({"a":{"$in":["b",10,9,null,"a",true]}})",
       R"({"a":{"$in":[null,true,9,10,"a","b"]}})"},
      {"$in of one", R"({"a":{"$in":[1,1]}})", R"({"a":{"$eq":1}})"},
      {"$nin of one", R"({"a":{"$nin":[1]}})", R"({"a":{"$ne":1}})"},
      {"$in of nothing", R"({"a":{"$in":[]}})", R"({"$not":{}})"},
      {"$nin of nothing", R"({"a":{"$nin":[]}})", R"({"a":{"$nin":[]}})"},
      {"$and is the object", R"({"$and":[{"b":1},{"a":2}]})", R"({"a":{"$eq":2},"b":{"$eq":1}})"},
      {"$and in $and", R"({"$and":[{"$and":[{"a":1}]},{"b":1,"$and":[{"c":1}]}]})",
       R"({"a":{"$eq":1},"b":{"$eq":1},"c":{"$eq":1}})"},
      {"the same twice", R"({"$and":[{"a":1},{"a":{"eq":1.0}}]})", R"({"a":{"$eq":1}})"},
      {"an operator twice", R"({"a":{"ne":2,"$ne":1}})", R"({"$and":[{"a":{"$ne":1}},{"a":{"$ne":2}}]})"},
      {"empty members of $and", R"({"$and":[{},{"a":1}]})", R"({"a":{"$eq":1}})"},
      {"$or is sorted", R"({"$or":[{"b":1},{"a":1},{"b":1}]})", R"({"$or":[{"a":{"$eq":1}},{"b":{"$eq":1}}]})"},
      {"$or of one", R"({"$or":[{"a":1}]})", R"({"a":{"$eq":1}})"},
      {"$or in $or", R"({"$or":[{"$or":[{"a":1},{"b":1}]},{"c":1}]})",
       R"({"$or":[{"a":{"$eq":1}},{"b":{"$eq":1}},{"c":{"$eq":1}}]})"},
      {"$or of everything", R"({"$or":[{"a":1},{}]})", "{}"},
      {"$not of $not", R"({"$not":{"$not":{"a":1}}})", R"({"a":{"$eq":1}})"},
      {"$not of a field", R"({"a":{"$not":{"$gt":1}}})", R"({"$not":{"a":{"$gt":1}}})"},
      {"$not of a bare value", R"({"a":{"not":1}})", R"({"$not":{"a":{"$eq":1}}})"},
      {"$not beside others", R"({"a":{"$gt":1,"$not":{"$gt":5}}})",
       R"({"$and":[{"$not":{"a":{"$gt":5}}},{"a":{"$gt":1}}]})"},
      {"control characters", R"({"a":"\n\u0001"})", R"({"a":{"$eq":"\n\u0001"}})"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(normal(row.written), row.normal);
    EXPECT_EQ(normal(row.normal), row.normal);
  }
}

TEST(NormalForm, DiffersForWhatDoesNotMeanTheSame) {
  const char* filters[] = {
      "{}",
      R"({"$not":{}})",
      R"({"a":1})",
      R"({"a":"1"})",
      R"({"a":true})",
      R"({"a":null})",
      R"({"a":"null"})",
      R"({"b":1})",
      R"({"a.b":1})",
      R"({"a":{"$ne":1}})",
      R"({"$not":{"a":1}})",
      R"({"a":{"$gt":1}})",
      R"({"a":{"$gte":1}})",
      R"({"a":{"$regex":"1"}})",
      R"({"a":{"$exists":true}})",
      R"({"a":{"$exists":false}})",
      R"({"a":{"$in":[1,2]}})",
      R"({"a":{"$nin":[1,2]}})",
      R"({"a":1,"b":1})",
      R"({"$or":[{"a":1},{"b":1}]})",
      R"({"a":9007199254740993})",
      R"({"a":9007199254740992})",
  };
  for (const char* one : filters) {
    for (const char* other : filters) {
      EXPECT_EQ(filter_digest(normal(one)) == filter_digest(normal(other)), one == other) << one << " " << other;
    }
  }
}

// Ids are kept in databases and in the programs of users. The figure is Python's
// hashlib.blake2b(normal form, digest_size=16).
TEST(NormalForm, AnIdStaysWhatItIs) {
  std::string hex;
  for (const char c : filter_digest(normal(R"({"priority":"high","age":{"$gte":18,"$lt":65}})"))) {
    hex += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
    hex += "0123456789abcdef"[c & 15];
  }
  EXPECT_EQ(hex, "51ab5099ce5dbd01f91a0c3d30b95608");
}

}  // namespace
}  // namespace millrace
