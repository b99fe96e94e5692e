#include "engine/base/parts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace millrace {
namespace {

constexpr PartKind kKinds[] = {{"PLAIN"}, {"BLOCK", true}};
enum class Kind : uint8_t { Plain, Block };

using Strings = std::vector<std::string>;

NextString from(const Strings& strings) {
  return [&strings, at = size_t{0}]() mutable -> Result<Buffer> {
    if (at == strings.size()) return corrupt("too short");
    return Buffer::copy_of(strings[at++]);
  };
}

// Records the parts that it gets, and refuses parts with the text "bad".
struct Noting {
  Result<void> add(uint8_t kind, ByteView bytes, Buffer block) {
    if (bytes == "bad") return corrupt("bad");
    noted.push_back(std::to_string(kind) + " " + std::string(bytes) + " " + std::string(block.view()));
    return {};
  }
  Strings noted;
};

struct Read {
  Strings noted;
  std::string error;  // empty: none
};

Read read(const Strings& strings) {
  Noting noting;
  const auto result = read_parts(kKinds, from(strings), [&](uint8_t kind, ByteView bytes, Buffer block) {
    return noting.add(kind, bytes, std::move(block));
  });
  return {noting.noted, result ? "" : result.error().text};
}

TEST(Parts, AreAStringEachAndASecondOneForABlock) {
  Strings strings;
  const auto write = [&](ByteView string) { strings.emplace_back(string); };
  write_part(kKinds, {number_of(Kind::Plain), "abc", {}}, write);
  write_part(kKinds, {number_of(Kind::Block), "header", "bytes"}, write);
  write_part(kKinds, {number_of(Kind::Block), "", ""}, write);
  write(kEndOfParts);
  EXPECT_EQ(strings, (Strings{std::string("\0abc", 4), "\1header", "bytes", "\1", "", "\x7f"}));
  const Read again = read(strings);
  EXPECT_EQ(again.error, "");
  EXPECT_EQ(again.noted, (Strings{"0 abc ", "1 header bytes", "1  "}));
}

TEST(Parts, AreReadUpToTheEndAndNoFurther) {
  const Strings strings = {"\x7f", "\1not read"};
  EXPECT_EQ(read(strings).error, "");
}

TEST(Parts, AreRefusedIfTheyAreNotWhole) {
  const struct {
    const char* name;
    Strings strings;
    const char* error;
  } rows[] = {
      {"nothing", {}, "too short"},
      {"no end", {"\1header", "bytes"}, "too short"},
      {"a block without bytes", {"\1header"}, "too short"},
      {"an empty string", {"", "\x7f"}, "a part of an unknown kind"},
      {"an unknown kind", {"\2x", "\x7f"}, "a part of an unknown kind"},
      {"an end with something behind it", {"\x7f!", "\x7f"}, "a part of an unknown kind"},
      {"a part that is refused", {std::string("\0bad", 4), "\x7f"}, "bad"},
  };
  for (const auto& row : rows) EXPECT_EQ(read(row.strings).error, row.error) << row.name;
}

TEST(Parts, OfOlderEncodingsAreAddedByTheirNumber) {
  const Strings strings = {"a", "header", "bytes", std::string(1, '\2'), "b", "c", "left"};
  const NextString next = from(strings);
  Noting noting;
  EXPECT_TRUE(add_next(noting, kKinds, Kind::Plain, 1, next));
  EXPECT_TRUE(add_next(noting, kKinds, Kind::Block, 1, next));
  EXPECT_TRUE(add_counted(noting, kKinds, Kind::Plain, next));
  EXPECT_EQ(noting.noted, (Strings{"0 a ", "1 header bytes", "0 b ", "0 c "}));
  EXPECT_EQ(next()->view(), "left");
}

TEST(Parts, OfOlderEncodingsAreRefusedIfTheyAreNotWhole) {
  const struct {
    const char* name;
    Strings strings;
    const char* error;
  } rows[] = {
      {"no number", {}, "too short"},
      {"a number that is none", {"\1\1", "x"}, "a number of the wrong length"},
      {"fewer than promised", {"\2", "x"}, "too short"},
      {"one that is refused", {"\1", "bad"}, "bad"},
  };
  for (const auto& row : rows) {
    Noting noting;
    const auto added = add_counted(noting, kKinds, Kind::Plain, from(row.strings));
    ASSERT_FALSE(added) << row.name;
    EXPECT_EQ(added.error().text, row.error) << row.name;
  }
}

}  // namespace
}  // namespace millrace
