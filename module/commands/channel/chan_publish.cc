#include "module/commands/channel/channel_commands.h"
#include "module/commands/channel/channel_requests.h"
#include "module/commands/channel/channel_upkeep.h"
#include "module/commands/channel/waiting_fetches.h"
#include "module/host/counters.h"
#include "module/host/settings.h"

namespace millrace::module {

namespace {

// Publishes all and answers one by one. Returns how many were new.
uint64_t publish_all(abi::Reply reply, Channel& channel, Words pairs) {
  uint64_t published = 0;
  for (size_t i = 0; i < pairs.size(); i += 2) {
    const auto clock = channel.publish(pairs[i], pairs[i + 1], block_limits());
    clock ? reply.integer(clock->value()) : reply.null();
    published += clock.has_value();
  }
  counters.channel.published += published;
  counters.channel.duplicates += pairs.size() / 2 - published;
  return published;
}

void publish(abi::Context context, abi::StringRef name, const Result<PublishRequest>& request, bool several) {
  if (!request) return context.reply().error(request.error());
  const Words pairs = request->pairs;
  auto key = ChannelKey::for_writing(context, name);
  if (!key) return context.reply().error(key.error());
  if (key->get() != nullptr && key->get()->room() < pairs.size() / 2) {
    return context.reply().error({ErrorCode::Full, "the channel holds as many messages as it can"});
  }
  const auto channel = channel_or_new(context, name, *key, std::nullopt);
  if (!channel) return context.reply().error(channel.error());
  move_time(context, name, **channel);

  if (several) context.reply().array(pairs.size() / 2);
  // What is published before is not stored again, and whoever repeats finds the same.
  if (publish_all(context.reply(), **channel, pairs) == 0) return;
  keep_key(*key);
  context.replicate_verbatim();
  context.changed(name, several ? "chan.mpublish" : "chan.publish");
  serve_fetches(context, name, *key);
}

}  // namespace

void chan_publish(abi::Context context, abi::Arguments arguments) {
  publish(context, arguments.string(1), parse_chan_publish(arguments.views(2)), false);
}

void chan_mpublish(abi::Context context, abi::Arguments arguments) {
  publish(context, arguments.string(1), parse_chan_mpublish(arguments.views(2)), true);
}

}  // namespace millrace::module
