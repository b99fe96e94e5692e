#include "gateway/stream/dispatched_change.h"

#include <gtest/gtest.h>

namespace millrace::gateway {
namespace {

constexpr const char* kEntry =
    R"({"event":"task.saved","app":"todo","model":"task","id":"t1","devices":[)"
    R"({"device":"phone","change":"enter","channels":["app:todo:model:task"],)"
    R"("subscriptions":[["app:todo:model:task","39f",  "enter"],["app:todo:model:task",null,"update"]]},)"
    R"({"device":"old","channels":[],"subscriptions":[]}],"document":{"priority": "high"},"old":null})";

TEST(DispatchedChange, IsAnEventForEachOfItsDevices) {
  const auto change = dispatched_change(kEntry);
  ASSERT_TRUE(change);
  ASSERT_EQ(change->devices.size(), 2U);
  EXPECT_EQ(change_event("{tasks}", *change, change->devices.at("phone"), "ws.one/7.17"),
            R"({"event":"change","table":"{tasks}","change":"enter",)"
            R"("subscriptions":["app:todo:model:task#39f","app:todo:model:task"],"changes":["enter","update"],)"
            R"("name":"task.saved","app":"todo","model":"task","id":"t1","document":{"priority":"high"},"old":null,)"
            R"("cursor":"ws.one/7.17"})");
  EXPECT_EQ(change->devices.at("old"), R"("change":null,"subscriptions":[],"changes":[])");
}

TEST(DispatchedChange, IsNothingElseThatALogMayHold) {
  for (const char* entry : {"", "17", "{}", "[]", R"({"devices":17})", R"({"devices":{}})"}) {
    EXPECT_FALSE(dispatched_change(entry)) << entry;
  }
  const auto strange = dispatched_change(R"({"devices":[17,{},{"device":1},{"device":"a","subscriptions":[[1]]}]})");
  ASSERT_TRUE(strange);
  EXPECT_EQ(strange->devices.size(), 1U);
}

}  // namespace
}  // namespace millrace::gateway
