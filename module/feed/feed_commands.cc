#include "module/feed/feed_commands.h"

#include <vector>

#include "engine/feed/feed_handout.h"
#include "module/abi/clock.h"
#include "module/feed/feed_keys.h"
#include "module/feed/feed_requests.h"
#include "module/feed/feed_server.h"

namespace millrace::module {

namespace {

Result<FeedPosition> begin_at(const OpenedKey& key, const FeedStart& start) {
  if (key.log() != nullptr) return begin_in(*key.log(), start);
  if (key.channel() != nullptr) return begin_in(*key.channel(), start, abi::now());
  return begin_unborn(start);
}

bool has_news(const OpenedKey& key, const FeedPosition& position) {
  if (key.log() != nullptr) return millrace::has_news(*key.log(), std::get<LogPosition>(position));
  return key.channel() != nullptr && millrace::has_news(*key.channel(), std::get<ChannelPosition>(position));
}

Result<Feeds::Added> add(abi::Context context, const FeedAddRequest& request, abi::StringRef key_name) {
  const OpenedKey key(context, key_name);
  if (key.is_other()) return std::unexpected(key.error());
  const auto position = begin_at(key, request.start);
  if (!position) return std::unexpected(position.error());
  const MonotonicMs now = abi::monotonic_now();
  const abi::UserRights user(context);
  const auto feed = feeds().find_or_make(context.database(), request.feed, user.name(), now);
  if (!feed) return std::unexpected(feed.error());
  keep_sweeping();
  (*feed)->last_used = now;
  const auto added = feeds().watch(**feed, request.key, *position, request.is_notice);
  if (!added) return added;
  key.note();
  if (has_news(key, *position)) (*feed)->set_dirty(*added->watch);
  return added;
}

Result<Feed*> find(abi::Context context, ByteView name) {
  const abi::UserRights user(context);
  return feeds().find(context.database(), name, user.name(), abi::monotonic_now());
}

}  // namespace

void feed_add(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_feed_add(arguments.views(1));
  if (!request) return context.reply().error(request.error());
  const auto added = add(context, *request, arguments.string(2));
  if (!added) return context.reply().error(added.error());
  context.reply().integer(added->is_new ? 1 : 0);
}

void feed_del(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_feed_del(arguments.views(1));
  if (!request) return context.reply().error(request.error());
  const auto feed = find(context, request->feed);
  if (!feed) return context.reply().error(feed.error());
  int64_t removed = 0;
  for (ByteView key : request->keys) {
    Watch* watch = (*feed)->find(key);
    if (watch == nullptr) continue;
    (*feed)->remove(*watch);
    ++removed;
  }
  context.reply().integer(removed);
}

void feed_info(abi::Context context, abi::Arguments arguments) {
  const auto name = parse_feed_info(arguments.views(1));
  if (!name) return context.reply().error(name.error());
  const auto found = find(context, *name);
  if (!found) return context.reply().error(found.error());
  const Feed& feed = **found;
  const MonotonicMs now = abi::monotonic_now();
  const uint64_t idle_ms = feed.waiting != 0 || now < feed.last_used ? 0 : now - feed.last_used;
  const abi::Reply reply = context.reply();
  const auto number = [&](const char* field, uint64_t value) {
    reply.bytes(field);
    reply.integer(static_cast<int64_t>(value));
  };
  reply.map(8);
  reply.bytes("user");
  reply.bytes(feed.user());
  number("keys", feed.size());
  number("dirty", feed.dirty());
  number("missing", feed.unborn());
  number("waiting", feed.waiting);
  number("idle-ms", idle_ms);
  number("messages", feed.messages);
  number("memory", feed.memory());
}

void feed_list(abi::Context context, abi::Arguments) {
  const abi::UserRights user(context);
  const MonotonicMs now = abi::monotonic_now();
  std::vector<ByteView> names;
  feeds().each([&](const Feed& feed) {
    const bool is_ours = feed.database() == context.database() && feed.user() == user.name();
    if (is_ours && !Feeds::is_expired(feed, now)) names.push_back(feed.name());
  });
  context.reply().array(names.size());
  for (ByteView name : names) context.reply().bytes(name);
}

}  // namespace millrace::module
