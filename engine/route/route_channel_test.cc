#include "engine/route/route_channel.h"

#include <gtest/gtest.h>

#include <set>

namespace millrace {
namespace {

constexpr RouteChannel kTask = {"myapp", "task", "user123", "task-456"};

std::vector<std::string> names(const RouteChannel& channel) {
  std::vector<std::string> found;
  for (const RouteChannel& pattern : channel.patterns()) found.push_back(pattern.name());
  return found;
}
using Names = std::vector<std::string>;

TEST(RouteChannel, IsNamedAsTheSeedNamesIt) {
  EXPECT_EQ((RouteChannel{"myapp", "task", {}, {}}.name()), "app:myapp:model:task");
  EXPECT_EQ((RouteChannel{"myapp", "task", "user123", {}}.name()), "app:myapp:user:user123:model:task");
  EXPECT_EQ((RouteChannel{"myapp", "task", {}, "task-456"}.name()), "app:myapp:model:task:id:task-456");
  EXPECT_EQ(kTask.name(), "app:myapp:user:user123:model:task:id:task-456");
}

TEST(RouteChannel, AChangeIsHeardOnThePatternsOfTheSeed) {
  EXPECT_EQ(names(kTask),
            (Names{"app:myapp:model:task", "app:myapp:model:task:id:task-456", "app:myapp:user:user123:model:task",
                   "app:myapp:user:user123:model:task:id:task-456"}));
  EXPECT_EQ(names({"myapp", "task", {}, "task-456"}),
            (Names{"app:myapp:model:task", "app:myapp:model:task:id:task-456"}));
  EXPECT_EQ(names({"myapp", "task", "user123", {}}),
            (Names{"app:myapp:model:task", "app:myapp:user:user123:model:task"}));
  EXPECT_EQ(names({"myapp", "task", {}, {}}), (Names{"app:myapp:model:task"}));
}

TEST(RouteChannel, KeysDifferWhereverChannelsDo) {
  const RouteChannel channels[] = {
      {"a", "b", {}, {}},    {"a", "b", "c", {}},       {"a", "b", {}, "c"},        {"a", "b", "c", "d"},
      {"a", "b", "", {}},    {"a", "b", {}, ""},        {"a", "b", "", ""},         {"ab", "", {}, {}},
      {"", "ab", {}, {}},    {"", "", {}, {}},          {"a:model:b", "c", {}, {}}, {"a", "b:model:c", {}, {}},
      {"a", "b", "c:d", {}}, {"a:user:b", "c", {}, {}}, {"a", "c", "b", {}},        {"a", "b:id:c", {}, {}},
  };
  std::set<std::string> keys;
  for (const RouteChannel& channel : channels) EXPECT_TRUE(keys.insert(channel.key()).second) << channel.name();
}

// Findings, routes 5: two channels printed the same name.
TEST(RouteChannel, NamesDifferWhereverChannelsDo) {
  const ByteView parts[] = {"a",      ":",         "a:b",      "user",     "model", "id", "a:user",
                            "user:a", "a:model:a", "model:id", "a%3Auser", "a%25",  "%"};
  std::set<std::string> names;
  for (ByteView app : parts) {
    for (ByteView model : parts) {
      for (ByteView user : parts) {
        for (ByteView id : parts) {
          for (const RouteChannel& each : RouteChannel{app, model, user, id}.patterns()) {
            if (each.user && !each.id && id != parts[0]) continue;  // had before
            if (each.id && !each.user && user != parts[0]) continue;
            if (!each.id && !each.user && (id != parts[0] || user != parts[0])) continue;
            ASSERT_TRUE(names.insert(each.name()).second) << each.name();
          }
        }
      }
    }
  }
}

TEST(RouteChannel, PartsWithColonsAreWrittenAsTheyAreUnlessTheyAreAmbiguous) {
  EXPECT_EQ((RouteChannel{"a", "m", {}, "urn:isbn:0451"}.name()), "app:a:model:m:id:urn:isbn:0451");
  EXPECT_EQ((RouteChannel{"a:model:b", "c", {}, {}}.name()), "app:a%3Amodel%3Ab:model:c");
  EXPECT_EQ((RouteChannel{"a", "b:model:c", {}, {}}.name()), "app:a:model:b%3Amodel%3Ac");
  EXPECT_EQ((RouteChannel{"100%", "m", {}, "50%25"}.name()), "app:100%:model:m:id:50%2525");
}

// Figures of Python's zlib.crc32().
TEST(RouteChannel, APartitionIsTheCrcOfTheName) {
  const struct {
    const char* name;
    uint32_t crc;
    uint32_t partition;
  } rows[] = {
      {"", 0x00000000, 0},
      {"123456789", 0xcbf43926, 294},
      {"app:myapp:model:task", 0x3733f455, 85},
      {"app:myapp:user:user123:model:task", 0x805d2d4e, 334},
      {"app:myapp:model:task:id:task-456", 0xe3297fab, 939},
      {"app:myapp:user:user123:model:task:id:task-456", 0x099a79f0, 496},
      {"app:größe:model:ž", 0xfb0a06f4, 756},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(partition_of(row.name, UINT32_MAX), row.crc);
    EXPECT_EQ(partition_of(row.name, 1024), row.partition);
    EXPECT_EQ(partition_of(row.name, 1), 0u);
    EXPECT_EQ(partition_of(row.name, 7), row.crc % 7);
  }
}

}  // namespace
}  // namespace millrace
