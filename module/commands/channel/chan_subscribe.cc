#include "module/commands/channel/channel_commands.h"
#include "module/commands/channel/channel_requests.h"
#include "module/commands/channel/channel_upkeep.h"
#include "module/commands/channel/waiting_fetches.h"

namespace millrace::module {

namespace {

void change_expire(Channel& channel, uint64_t expire_ms) {
  const Offset first = channel.messages().first();
  channel.set_expire(expire_ms);
  count_expired(channel, first);
}

}  // namespace

void chan_subscribe(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_chan_subscribe(arguments.views(2));
  if (!request) return context.reply().error(request.error());
  const abi::StringRef name = arguments.string(1);
  auto key = ChannelKey::for_writing(context, name);
  if (!key) return context.reply().error(key.error());
  const auto opened = channel_or_new(context, name, *key, request->expire_ms);
  if (!opened) return context.reply().error(opened.error());

  Channel& channel = **opened;
  move_time(context, name, channel);
  // Before the subscriber itself: replicas get their signs before this command.
  if (request->expire_ms && *request->expire_ms < channel.head().expire_ms) {
    keep_fetches_alive(context, name, *key, *request->expire_ms);
  }
  // Who lives is asked before the expiry changes: a shorter one takes nothing from a
  // subscriber that has shown itself.
  const Subscriber& subscriber = channel.subscribe(request->subscriber);
  if (request->expire_ms) change_expire(channel, *request->expire_ms);
  keep_key(*key);
  context.reply().integer(channel.clock_of(subscriber.position).value());
  context.replicate_verbatim();
  context.changed(name, "chan.subscribe");
}

void chan_unsubscribe(abi::Context context, abi::Arguments arguments) {
  const auto subscriber = parse_chan_unsubscribe(arguments.views(2));
  if (!subscriber) return context.reply().error(subscriber.error());
  const abi::StringRef name = arguments.string(1);
  auto opened = OpenedSubscriber::open(context, name, *subscriber);
  if (!opened && opened.error().code == ErrorCode::NoSubscriber) return context.reply().integer(0);
  if (!opened) return context.reply().error(opened.error());
  move_time(context, name, *opened->channel, opened->now);
  opened->channel->unsubscribe(*subscriber);
  context.reply().integer(1);
  context.replicate_verbatim();
  context.changed(name, "chan.unsubscribe");
  dismiss_fetches({context.database(), std::string(name.view())}, *subscriber);
}

void chan_create(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_chan_create(arguments.views(2));
  if (!request) return context.reply().error(request.error());
  const abi::StringRef name = arguments.string(1);
  auto key = ChannelKey::for_writing(context, name);
  if (!key) return context.reply().error(key.error());
  if (key->get() != nullptr) return context.reply().error({ErrorCode::Exists, "the channel exists already"});
  create_channel(context, name, *key, *request);
  context.reply().ok();
  context.changed(name, "chan.create");
}

}  // namespace millrace::module
