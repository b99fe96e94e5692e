#include "engine/feed/feeds.h"
#include "module/feed/feed_commands.h"
#include "module/feed/feed_server.h"
#include "module/runtime/watching.h"

namespace millrace::module {

namespace {

void write_info(abi::InfoWriter& info) {
  uint64_t keys = 0;
  uint64_t dirty = 0;
  feeds().each([&](const Feed& feed) {
    keys += feed.size();
    dirty += feed.dirty();
  });
  info.field("feeds", feeds().size());
  info.field("feeds_expired", feed_counters.expired);
  info.field("feed_keys", keys);
  info.field("feed_keys_dirty", dirty);
  info.field("feed_messages_read", feed_counters.messages);
  info.field("feed_readers_blocked", feed_counters.waiting);
  info.field("feed_readers_woken", feed_counters.woken);
}

void appeared(abi::Context context, abi::StringRef name) { watched_keys().changed(context.database(), name.view()); }

void key_left(int database, ByteView name) { watched_keys().changed(database, name); }

constexpr DatabaseEvents kDatabaseEvents{
    .swapped =
        [](int first, int second) {
          watched_keys().all_changed(first);
          watched_keys().all_changed(second);
        },
    .emptied = [](int database) { watched_keys().all_changed(database); },
    .loading =
        [](abi::Loading moment) {
          if (abi::replaces_keys(moment)) watched_keys().all_changed(-1);
        },
};

}  // namespace

Family feed_family() {
  return {
      .part = {.commands = feed_command_table(), .create_type = nullptr, .write_info = write_info},
      .look_after = nullptr,
      .appeared = appeared,
      .waiters = nullptr,
      .database_events = &kDatabaseEvents,
      .key_left = key_left,
      .turn_ends = serve_feed_readers,
  };
}

}  // namespace millrace::module
