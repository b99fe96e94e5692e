#include "module/commands/channel/channel_upkeep.h"

#include <algorithm>

#include "engine/channel/channel_codec.h"
#include "module/commands/argument_reader.h"
#include "module/host/counters.h"
#include "module/host/reclaim.h"
#include "module/host/role.h"
#include "module/host/settings.h"

namespace millrace::module {

UnixMs present(const Channel& channel) { return std::max(abi::now(), channel.now()); }

Channel& create_channel(abi::Context context, abi::StringRef name, ChannelKey& key, const CreateRequest& request) {
  ChannelHead head;
  abi::fill_with_randomness(head.secret);
  head.birth = request.clock;
  head.expire_ms = request.expire_ms.value_or(default_channel_expire());
  head.active = abi::now();
  key.set(std::make_unique<Channel>(head));
  key.expire_at(key.get()->expires_at());
  const abi::OwnedString bytes(encode_channel_head(head));
  context.replicate(kApplyToChannel, name, kApplyCreated, abi::StringRef(bytes));
  // Not part of the effect above, which an AOF rewrite writes too: by then a user may have
  // given the key another expiry, or none.
  context.replicate("PEXPIREAT", name, key.get()->expires_at().value());
  return *key.get();
}

Result<Channel*> channel_or_new(abi::Context context, abi::StringRef name, ChannelKey& key,
                                std::optional<uint64_t> expire_ms) {
  if (key.get() != nullptr) return key.get();
  if (!decides(context)) return fail(ErrorCode::Corrupt, "the channel that this effect belongs to is missing");
  return &create_channel(context, name, key, {expire_ms, Clock()});
}

void move_time(abi::Context context, abi::StringRef name, Channel& channel, UnixMs now) {
  if (!decides(context)) return;
  const Offset first = channel.messages().first();
  if (!channel.tick(now)) return;
  context.replicate(kApplyToChannel, name, kApplyTime, channel.now().value());
  count_expired(channel, first);
}

void count_expired(Channel& channel, Offset first) {
  if (channel.messages().first() == first) return;
  counters.channel.expired += channel.messages().first() - first;
  reclaim(channel.take_evicted());
}

// Asking is cheaper than setting, and most find it set in this millisecond.
void keep_key(ChannelKey& key) {
  const UnixMs date = key.get()->expires_at();
  if (key.expires_at() != date) key.expire_at(date);
}

Error no_subscriber(ByteView channel, ByteView subscriber) {
  return {ErrorCode::NoSubscriber, "no subscriber " + quoted(subscriber) + " of the channel " + quoted(channel)};
}

Result<OpenedSubscriber> OpenedSubscriber::open(abi::Context context, abi::StringRef name, ByteView subscriber) {
  auto key = ChannelKey::for_writing(context, name);
  if (!key) return std::unexpected(key.error());
  Channel* channel = key->get();
  if (channel == nullptr) return std::unexpected(no_subscriber(name.view(), subscriber));
  // Whoever repeats does so at the time of whoever decided.
  const UnixMs now = decides(context) ? present(*channel) : channel->now();
  Subscriber* found = channel->alive(subscriber, now);
  if (found == nullptr) return std::unexpected(no_subscriber(name.view(), subscriber));
  return OpenedSubscriber{std::move(*key), channel, found, now};
}

void OpenedSubscriber::touch() {
  channel->touch(*subscriber);
  keep_key(key);
}

}  // namespace millrace::module
