#include "gateway/websocket/device_trail.h"

#include <gtest/gtest.h>

namespace millrace::gateway {
namespace {

DeviceCursor cursor(const char* text) {
  const auto parsed = parse_device_cursor(text);
  EXPECT_TRUE(parsed) << text;
  return parsed.value_or(DeviceCursor{});
}

std::string parts_text(const DeviceTrail& trail, const char* after) {
  const auto parts = trail.parts_after(cursor(after));
  if (!parts) return "unknown";
  std::string text;
  for (const TrailPart& part : *parts) {
    text += part.transport + '(' + part.after.text + ',' + (part.up_to ? std::to_string(*part.up_to) : "") + ") ";
  }
  return text;
}

TEST(DeviceTrail, SaysWhatToReadBehindACursor) {
  DeviceTrail trail;
  trail.add(cursor("ws.a/7.10"));
  trail.add(cursor("ws.b/8.3"));
  trail.add(cursor("ws.a/7.20"));
  trail.add(cursor("ws.c/9.0"));
  EXPECT_EQ(parts_text(trail, "ws.a/7.12"), "ws.a(7.12,20) ws.b(8.3,) ws.a(7.20,) ws.c(9.0,) ");
  EXPECT_EQ(parts_text(trail, "ws.a/7.25"), "ws.a(7.25,) ws.c(9.0,) ");
  EXPECT_EQ(parts_text(trail, "ws.b/8.3"), "ws.b(8.3,) ws.a(7.20,) ws.c(9.0,) ");
  EXPECT_EQ(parts_text(trail, "ws.c/9.4"), "ws.c(9.4,) ");
}

TEST(DeviceTrail, RecognisesACursorOfAnotherTrail) {
  DeviceTrail trail;
  EXPECT_EQ(parts_text(trail, "ws.a/7.12"), "unknown");
  trail.add(cursor("ws.a/7.10"));
  EXPECT_EQ(parts_text(trail, "ws.a/7.9"), "unknown");
  EXPECT_EQ(parts_text(trail, "ws.a/8.12"), "unknown") << "of another life of the log";
  EXPECT_EQ(parts_text(trail, "ws.b/7.12"), "unknown");
}

TEST(DeviceTrail, ComesBackFromItsText) {
  DeviceTrail trail;
  trail.add(cursor("ws.host:8380/"));
  trail.add(cursor("ws.with\"quote/7.1"));
  const DeviceTrail again = DeviceTrail::parse(trail.text());
  EXPECT_EQ(again.text(), trail.text());
  EXPECT_EQ(again.last().transport, "ws.with\"quote");
  EXPECT_EQ(again.transports(), (std::vector<std::string>{"ws.with\"quote", "ws.host:8380"}));
  for (const char* text : {"", "17", "[17]", "[\"x\"]", "{}", "[\"a/b\"]"}) {
    EXPECT_TRUE(DeviceTrail::parse(text).is_empty()) << text;
  }
}

TEST(DeviceTrail, ForgetsStaysThatAreLongPast) {
  DeviceTrail trail;
  for (int i = 0; i < 100; ++i) trail.add({"ws.a" + std::to_string(i), {}});
  EXPECT_EQ(trail.transports().size(), 16U);
  EXPECT_EQ(trail.last().transport, "ws.a99");
}

TEST(DeviceTrail, RefusesInvalidCursors) {
  for (const char* text : {"", "/", "/7.1", "ws.a", "ws.a/x", "ws.a/-1", "ws.a/7.x"}) {
    EXPECT_FALSE(parse_device_cursor(text)) << text;
  }
}

}  // namespace
}  // namespace millrace::gateway
