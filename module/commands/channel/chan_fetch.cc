#include "module/commands/channel/channel_commands.h"
#include "module/commands/channel/channel_requests.h"
#include "module/commands/channel/channel_upkeep.h"
#include "module/commands/channel/fetch_writing.h"
#include "module/commands/channel/waiting_fetches.h"
#include "module/host/counters.h"
#include "module/host/role.h"

namespace millrace::module {

void chan_fetch(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_chan_fetch(arguments.views(2));
  if (!request) return context.reply().error(request.error());
  const abi::StringRef name = arguments.string(1);
  auto opened = OpenedSubscriber::open(context, name, request->subscriber);
  if (!opened) return context.reply().error(opened.error());
  move_time(context, name, *opened->channel, opened->now);
  opened->touch();
  // All that a fetch changes is the sign of life: nobody reads the answer of an effect.
  if (!decides(context)) return context.reply().null();

  const Channel& channel = *opened->channel;
  const Fetch fetch = channel.fetch(*opened->subscriber, request->max);
  if (fetch.count == 0 && request->block_ms && !context.must_answer_at_once()) {
    // A command that waits does not pass on itself.
    context.replicate(kApplyToChannel, name, kApplyTouch, arguments.string(2));
    return wait_for_publication(context, name, channel, *request);
  }
  abi::Reply reply = context.reply();
  write_fetch(reply, channel, name.view(), request->subscriber, fetch);
  context.replicate_verbatim();
  context.changed(name, "chan.fetch");
}

void chan_ack(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_chan_ack(arguments.views(2));
  if (!request) return context.reply().error(request.error());
  const abi::StringRef name = arguments.string(1);
  auto opened = OpenedSubscriber::open(context, name, request->subscriber);
  if (!opened) return context.reply().error(opened.error());

  Channel& channel = *opened->channel;
  const auto receipt = read_receipt(channel.head().secret, name.view(), request->subscriber, request->receipt);
  // An acknowledgement asks for no time: what is refused has not even moved that.
  const Ack outcome = receipt ? channel.acknowledge(*opened->subscriber, *receipt) : Ack::Invalid;
  if (outcome == Ack::Invalid) {
    return context.reply().error(
        {ErrorCode::BadReceipt,
         "the receipt was not issued for what this channel holds and this subscriber, or was altered"});
  }
  move_time(context, name, channel, opened->now);
  opened->touch();
  counters.channel.acknowledged += outcome == Ack::Advanced;
  context.reply().integer(outcome == Ack::Advanced ? 1 : 0);
  context.replicate_verbatim();
  context.changed(name, "chan.ack");
}

void chan_seen(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_chan_seen(arguments.views(2));
  if (!request) return context.reply().error(request.error());
  const abi::StringRef name = arguments.string(1);
  const auto key = ChannelKey::for_reading(context, name);
  if (!key) return context.reply().error(key.error());
  const Channel* channel = key->get();
  const UnixMs now = channel == nullptr ? UnixMs(0) : present(*channel);
  const Subscriber* subscriber = channel == nullptr ? nullptr : channel->alive(request->subscriber, now);
  if (subscriber == nullptr) return context.reply().error(no_subscriber(name.view(), request->subscriber));

  abi::Reply reply = context.reply();
  reply.array(request->ids.size());
  for (ByteView id : request->ids) {
    const auto offset = channel->find(id, now);
    reply.integer(offset && *offset <= subscriber->position ? 1 : 0);
  }
}

}  // namespace millrace::module
