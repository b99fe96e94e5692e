// CHAN.APPLY is not for people: it is what a master writes to its replicas and a server to
// its AOF. It is documented, and as careful with its bytes as RESTORE, because anybody may
// send it.
#include "engine/channel/channel_codec.h"
#include "module/commands/channel/channel_commands.h"
#include "module/commands/channel/channel_requests.h"
#include "module/commands/channel/channel_upkeep.h"
#include "module/commands/channel/waiting_fetches.h"
#include "module/host/counters.h"
#include "module/host/log_strings.h"
#include "module/host/reclaim.h"

namespace millrace::module {

namespace {

Result<void> create(ChannelKey& key, ByteView bytes) {
  if (key.get() != nullptr) return fail(ErrorCode::Exists, "the channel exists already");
  const auto head = decode_channel_head(bytes);
  if (!head) return std::unexpected(head.error());
  key.set(std::make_unique<Channel>(*head));
  return {};
}

Result<void> append(Channel& channel, const ChannelEffect& effect) {
  const auto header = decode_block_header(effect.header);
  if (!header) return std::unexpected(header.error());
  return channel.append_block(*header, abi::copy_of(effect.bytes));
}

Result<void> apply(ChannelKey& key, const ChannelEffect& effect) {
  using What = ChannelEffect::What;
  if (effect.what == What::Created) return create(key, effect.bytes);
  if (key.get() == nullptr) return fail(ErrorCode::Corrupt, "the channel that this effect belongs to is missing");
  Channel& channel = *key.get();
  if (effect.what == What::Clock) {
    channel.tick(effect.clock);
  } else if (effect.what == What::Touch) {
    if (Subscriber* subscriber = channel.alive(effect.bytes, channel.now())) {
      channel.touch(*subscriber);
      keep_key(key);
    }
  } else if (effect.what == What::Block) {
    return append(channel, effect);
  } else if (effect.what == What::LogHead) {
    const auto head = decode_head(effect.bytes);
    if (!head) return std::unexpected(head.error());
    return channel.restore_log_head(*head);
  } else {
    return restore_subscribers(channel, effect.bytes);
  }
  return {};
}

}  // namespace

void chan_apply(abi::Context context, abi::Arguments arguments) {
  const auto effect = parse_chan_apply(arguments.views(2));
  if (!effect) return context.reply().error(effect.error());
  const abi::StringRef name = arguments.string(1);
  auto key = ChannelKey::for_writing(context, name);
  if (!key) return context.reply().error(key.error());
  if (const auto applied = apply(*key, *effect); !applied) {
    ++counters.refused_payloads;
    return context.reply().error(applied.error());
  }
  reclaim(key->get()->take_evicted());
  context.reply().ok();
  context.replicate_verbatim();
  context.changed(name, "chan.apply");
  serve_fetches(context, name, *key);
}

}  // namespace millrace::module
