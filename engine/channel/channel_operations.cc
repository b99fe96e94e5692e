#include "engine/channel/channel_operations.h"

#include <algorithm>
#include <set>
#include <string>

#include "engine/base/quoted.h"
#include "engine/channel/channel_codec.h"
#include "engine/channel/channel_effects.h"
#include "engine/channel/channel_parts.h"
#include "engine/channel/receipt.h"

namespace millrace {

namespace {

constexpr const char* kMissing = "the channel that this effect belongs to is missing";
constexpr const char* kExists = "the channel exists already";

// True if the channel has room for the messages of a request that are not duplicates.
bool has_room(const Channel& channel, std::span<const ByteView> pairs, UnixMs now) {
  if (pairs.size() / 2 <= channel.room()) [[likely]] {
    return true;
  }
  std::set<ByteView> new_ids;
  for (size_t i = 0; i < pairs.size(); i += 2) {
    if (!channel.find(pairs[i], now)) new_ids.insert(pairs[i]);
  }
  return new_ids.size() <= channel.room_at(now);
}

// A replicated operation uses the channel's own time.
UnixMs time_of(const Channel& channel, const Call& call) {
  return call.decides ? channel.present(call.now.wall) : channel.now();
}

Error no_subscriber(ByteView channel, ByteView subscriber) {
  return {ErrorCode::NoSubscriber, "no subscriber " + quoted(subscriber) + " of the channel " + quoted(channel)};
}

}  // namespace

void ChannelOperations::move_clock(Channel& channel, const Call& call, Effects& effects) {
  if (!call.decides) return;
  const Offset first = channel.messages().first();
  if (!channel.tick(call.now.wall)) return;
  effects.add(kChannelClock, channel.now().value());
  count_expired(channel, first);
}

// --- making ---

Channel& ChannelOperations::make(Place<Channel>& place, const CreateRequest& request, const Call& call,
                                 Consequences& follow) {
  ChannelHead head;
  fill_secret_(head.secret);
  head.birth = request.clock;
  head.expire_ms = request.expire_ms.value_or(limits_.expire_ms);
  head.active = call.now.wall;
  Channel& channel = place.put(Channel(head));
  follow.expires_at = channel.expires_at();
  // The secret is random, so replicas must get it.
  follow.effects.add(kChannelCreated, encode_channel_head(head));
  // Not part of the effect above, which an AOF rewrite writes too: by then a user may have given the key another
  // expiry, or none.
  follow.effects.add_command(kExpireCommand, channel.expires_at().value());
  return channel;
}

Result<Channel*> ChannelOperations::get_or_make(Place<Channel>& place, std::optional<uint64_t> expire_ms,
                                                const Call& call, Consequences& follow) {
  if (place.get() != nullptr) return place.get();
  // A separate effect has created the channel before the request is repeated.
  if (!call.decides) return fail(ErrorCode::Corrupt, kMissing);
  return &make(place, {.expire_ms = expire_ms, .clock = Clock()}, call, follow);
}

Outcome<Done> ChannelOperations::create(Place<Channel>& place, const CreateRequest& request, const Call& call) {
  if (place.get() != nullptr) return fail(ErrorCode::Exists, kExists);
  Outcome<Done> done{Done()};
  make(place, request, call, done.consequences);
  done.consequences.events.add("chan.create");
  return done;
}

// --- publishing ---

Result<void> ChannelOperations::publish_pairs(Place<Channel>& place, std::span<const ByteView> pairs, const Call& call,
                                              const char* event, std::span<std::optional<Clock>> clocks,
                                              Consequences& follow) {
  if (place.get() != nullptr && !has_room(*place.get(), pairs, time_of(*place.get(), call))) {
    return fail(ErrorCode::Full, "the channel holds as many messages as it can");
  }
  const auto opened = get_or_make(place, std::nullopt, call, follow);
  if (!opened) return std::unexpected(opened.error());
  Channel& channel = **opened;
  move_clock(channel, call, follow.effects);
  uint64_t published = 0;
  for (size_t i = 0; i < clocks.size(); ++i) {
    clocks[i] = channel.publish(pairs[2 * i], pairs[2 * i + 1], limits_.blocks);
    published += clocks[i].has_value();
  }
  counters_.published += published;
  counters_.duplicates += clocks.size() - published;
  // Duplicates change nothing.
  if (published == 0) return {};
  follow.expires_at = channel.expires_at();
  follow.effects.add_request();
  follow.events.add(event);
  follow.wake.mark = channel.messages().next().value();
  return {};
}

Outcome<std::optional<Clock>> ChannelOperations::publish(Place<Channel>& place, const PublishRequest& request,
                                                         const Call& call) {
  Outcome<std::optional<Clock>> done;
  const auto published =
      publish_pairs(place, request.pairs.first(2), call, "chan.publish", {&*done.answer, 1}, done.consequences);
  if (!published) done.answer = std::unexpected(published.error());
  return done;
}

Outcome<std::vector<std::optional<Clock>>> ChannelOperations::publish_several(Place<Channel>& place,
                                                                              const PublishRequest& request,
                                                                              const Call& call) {
  Outcome<std::vector<std::optional<Clock>>> done;
  done.answer->resize(request.pairs.size() / 2);
  const auto published = publish_pairs(place, request.pairs, call, "chan.mpublish", *done.answer, done.consequences);
  if (!published) done.answer = std::unexpected(published.error());
  return done;
}

// --- subscribers ---

Result<const Channel*> ChannelOperations::find_channel(const Channel* channel, ByteView channel_name) {
  if (channel == nullptr) return fail(ErrorCode::NoSubscriber, "no channel " + quoted(channel_name));
  return channel;
}

Result<const Subscriber*> ChannelOperations::find_subscriber(const Channel* channel, ByteView channel_name,
                                                             ByteView subscriber, UnixMs now) {
  const Subscriber* found = channel == nullptr ? nullptr : channel->alive(subscriber, now);
  if (found == nullptr) return std::unexpected(no_subscriber(channel_name, subscriber));
  return found;
}

Result<Subscriber*> ChannelOperations::subscriber_at(Place<Channel>& place, ByteView name, const Call& call) {
  Channel* channel = place.get();
  Subscriber* found = channel == nullptr ? nullptr : channel->alive(name, time_of(*channel, call));
  if (found == nullptr) return std::unexpected(no_subscriber(place.name(), name));
  return found;
}

void ChannelOperations::touch(Channel& channel, Subscriber& subscriber, Consequences& follow) {
  channel.touch(subscriber);
  follow.expires_at = channel.expires_at();
}

Outcome<Clock> ChannelOperations::subscribe(Place<Channel>& place, const SubscribeRequest& request, const Call& call,
                                            WaitingLines* lines) {
  Outcome<Clock> done;
  Consequences& follow = done.consequences;
  const auto opened = get_or_make(place, request.expire_ms, call, follow);
  if (!opened) {
    done.answer = std::unexpected(opened.error());
    return done;
  }
  Channel& channel = **opened;
  move_clock(channel, call, follow.effects);
  if (request.expire_ms && *request.expire_ms < channel.head().expire_ms && call.decides && lines != nullptr) {
    show_all_waiting(channel, *lines, *request.expire_ms, follow);
  }
  // Before the expiry changes, so that a shorter one does not remove a subscriber that is active now.
  done.answer = channel.clock_of(channel.subscribe(request.subscriber).position);
  if (request.expire_ms) {
    const Offset first = channel.messages().first();
    channel.set_expire(*request.expire_ms);
    count_expired(channel, first);
  }
  follow.expires_at = channel.expires_at();
  follow.effects.add_request();
  follow.events.add("chan.subscribe");
  return done;
}

Outcome<bool> ChannelOperations::unsubscribe(Place<Channel>& place, ByteView subscriber, const Call& call) {
  Outcome<bool> done(subscriber_at(place, subscriber, call).has_value());
  if (!*done.answer) return done;
  move_clock(*place.get(), call, done.consequences.effects);
  place.get()->unsubscribe(subscriber);
  done.consequences.effects.add_request();
  done.consequences.events.add("chan.unsubscribe");
  done.consequences.wake = Wake::one_line(subscriber);
  return done;
}

Outcome<bool> ChannelOperations::acknowledge(Place<Channel>& place, const ChannelAckRequest& request,
                                             const Call& call) {
  Outcome<bool> done;
  Consequences& follow = done.consequences;
  const auto found = subscriber_at(place, request.subscriber, call);
  if (!found) {
    done.answer = std::unexpected(found.error());
    return done;
  }
  Channel& channel = *place.get();
  const auto receipt = read_receipt(channel.head().secret, place.name(), request.subscriber, request.receipt);
  // Before the clock moves, because a refused request must not change anything.
  const Ack ack = receipt ? channel.acknowledge(**found, *receipt) : Ack::Invalid;
  if (ack == Ack::Invalid) {
    done.answer = fail(ErrorCode::BadReceipt,
                       "the receipt was not issued for what this channel holds and this subscriber, or was altered");
    return done;
  }
  done.answer = ack == Ack::Advanced;
  move_clock(channel, call, follow.effects);
  touch(channel, **found, follow);
  counters_.acknowledged += ack == Ack::Advanced;
  follow.effects.add_request();
  follow.events.add("chan.ack");
  return done;
}

// --- effects from another engine ---

Result<void> ChannelOperations::apply_to(Channel& channel, const ChannelEffect& effect, Consequences& follow) {
  using Kind = ChannelEffect::Kind;
  switch (effect.kind) {
    case Kind::Clock:
      channel.tick(effect.clock);
      return {};
    case Kind::Touch:
      if (Subscriber* subscriber = channel.alive(effect.bytes, channel.now())) touch(channel, *subscriber, follow);
      return {};
    case Kind::Part:
      return restore_part(channel, static_cast<ChannelPart>(effect.part.kind), effect.part.bytes,
                          Buffer::copy_of(effect.part.block));
  }
  return {};
}

Outcome<Done> ChannelOperations::apply(Place<Channel>& place, const ChannelEffect& effect, const Call&) {
  Outcome<Done> done{Done()};
  Consequences& follow = done.consequences;
  if (place.get() != nullptr) {
    if (const auto applied = apply_to(*place.get(), effect, follow); !applied) return std::unexpected(applied.error());
  } else {
    const bool creates =
        effect.kind == ChannelEffect::Kind::Part && effect.part.kind == number_of(ChannelPart::Created);
    if (!creates) return fail(ErrorCode::Corrupt, kMissing);
    const auto head = decode_channel_head(effect.part.bytes);
    if (!head) return std::unexpected(head.error());
    place.put(Channel(*head));
  }
  follow.effects.add_request();
  follow.events.add("chan.apply");
  follow.wake = wake_all();
  return done;
}

}  // namespace millrace
