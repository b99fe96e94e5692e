#include "module/commands/channel/waiting_fetches.h"

#include <algorithm>
#include <list>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "module/abi/blocked_client.h"
#include "module/abi/reply.h"
#include "module/commands/channel/channel_upkeep.h"
#include "module/commands/channel/fetch_writing.h"
#include "module/host/agenda.h"
#include "module/host/counters.h"
#include "module/host/owed_answers.h"
#include "module/host/role.h"

namespace millrace::module {

namespace {

// How many subscribers one turn of the agenda keeps alive.
constexpr int kKeptPerTurn = 1000;
constexpr uint64_t kLongestRestMs = 60'000;

class WaitingFetch;

// Those who wait for one channel.
struct Line {
  std::list<WaitingFetch*> by_arrival;
  std::list<WaitingFetch*> by_date;  // of their last sign of life, the oldest first
  std::multimap<ByteView, WaitingFetch*> by_subscriber;
};
std::unordered_map<DatabaseKey, Line> lines;

// Well before a subscriber that waits would expire, and once a minute at least: the agenda
// keeps a key's name until then, though nobody may wait for it any more.
UnixMs next_sign(UnixMs last, uint64_t expire_ms) {
  return last + std::clamp<uint64_t>(expire_ms / 3, 1, kLongestRestMs);
}

class WaitingFetch final : public abi::BlockedClient {
 public:
  WaitingFetch(DatabaseKey place, const FetchRequest& request, UnixMs now)
      : place_(std::move(place)), subscriber_(request.subscriber), max_(request.max), last_sign_(now) {
    Line& line = lines[place_];
    arrival_ = line.by_arrival.insert(line.by_arrival.end(), this);
    date_ = line.by_date.insert(line.by_date.end(), this);
    subscribed_ = line.by_subscriber.emplace(subscriber_, this);
    ++counters.channel.blocked_fetches;
  }

  UnixMs last_sign() const { return last_sign_; }

  // Answers if there is something, or if there is no such subscriber any more; else it
  // waits on.
  void serve_from(abi::Context context, abi::StringRef name, ChannelKey& key) {
    Channel& channel = *key.get();
    Subscriber* subscriber = channel.alive(subscriber_, channel.now());
    if (subscriber == nullptr) return dismiss();
    const Fetch fetch = channel.fetch(*subscriber, max_);
    if (fetch.count == 0) return;
    left();
    write_fetch(answer_, channel, place_.name, subscriber_, fetch);
    show_sign(context, name, key, *subscriber);
    ++counters.channel.woken_fetches;
    serve();
  }

  void dismiss() {
    left();
    is_dismissed_ = true;
    serve();
  }

  // Keeps the subscriber alive. REQUIRES: in line.
  void keep_alive(abi::Context context, abi::StringRef name, ChannelKey& key) {
    Line& line = lines.find(place_)->second;
    line.by_date.splice(line.by_date.end(), line.by_date, date_);
    last_sign_ = key.get()->now();
    Subscriber* subscriber = key.get()->alive(subscriber_, key.get()->now());
    subscriber == nullptr ? dismiss() : show_sign(context, name, key, *subscriber);
  }

 private:
  void show_sign(abi::Context context, abi::StringRef name, ChannelKey& key, Subscriber& subscriber) {
    key.get()->touch(subscriber);
    keep_key(key);
    const abi::OwnedString who(subscriber_);
    context.replicate(kApplyToChannel, name, kApplyTouch, abi::StringRef(who));
  }

  void answer(abi::Reply reply) override {
    is_dismissed_ ? reply.error(no_subscriber(place_.name, subscriber_)) : answer_.send(reply);
  }

  void answer_timeout(abi::Reply reply) override { write_empty_fetch(reply); }

  void key_is_ready(abi::Context context) override { serve_owed_without_effects(context); }

  void left() override {
    const auto line = lines.find(place_);
    line->second.by_arrival.erase(arrival_);
    line->second.by_date.erase(date_);
    line->second.by_subscriber.erase(subscribed_);
    if (line->second.by_arrival.empty()) lines.erase(line);
    --counters.channel.blocked_fetches;
  }

  DatabaseKey place_;
  std::string subscriber_;
  uint64_t max_;
  UnixMs last_sign_;
  std::list<WaitingFetch*>::iterator arrival_;
  std::list<WaitingFetch*>::iterator date_;
  std::multimap<ByteView, WaitingFetch*>::iterator subscribed_;
  abi::RecordedReply answer_;
  bool is_dismissed_ = false;
};

// A copy: who is served leaves.
std::vector<WaitingFetch*> in_line(const DatabaseKey& place) {
  const auto line = lines.find(place);
  if (line == lines.end()) return {};
  return {line->second.by_arrival.begin(), line->second.by_arrival.end()};
}

void serve_line(abi::Context context, const DatabaseKey& place, abi::StringRef name, ChannelKey& key) {
  if (!server_decides) return;
  if (abi::replicas_must_rest()) return serve_soon(place);
  for (WaitingFetch* fetch : in_line(place)) fetch->serve_from(context, name, key);
}

void serve_key(abi::Context context, const DatabaseKey& place, abi::StringRef name) {
  if (!server_decides) return;
  auto key = ChannelKey::for_upkeep(context, name);
  if (!key || key->get() == nullptr) {
    for (WaitingFetch* fetch : in_line(place)) fetch->dismiss();
    return;
  }
  if (abi::replicas_must_rest()) return serve_soon(place);
  move_time(context, name, *key->get());
  serve_line(context, place, name, *key);
  // It may be another channel than the one they came for: whoever waits on shows itself to
  // this one, and the agenda learns of its expiry.
  keep_fetches_alive(context, name, *key, key->get()->head().expire_ms);
}

std::vector<DatabaseKey> keys_with_fetches() {
  std::vector<DatabaseKey> keys;
  for (const auto& [place, line] : lines) keys.push_back(place);
  return keys;
}

}  // namespace

constinit const Waiters kChannelWaiters{
    .wait_for = [](const DatabaseKey& place) { return lines.contains(place); },
    .keys = keys_with_fetches,
    .serve = serve_key,
    .serve_without_effects = nullptr,
    // Who waited for the channel that has gone is told, unless another is there by then.
    .start_afresh = serve_soon,
};

void wait_for_publication(abi::Context context, abi::StringRef name, const Channel& channel,
                          const FetchRequest& request) {
  DatabaseKey place{context.database(), std::string(name.view())};
  agenda::add(place, next_sign(channel.now(), channel.head().expire_ms));
  abi::block(context, name, *request.block_ms,
             std::make_unique<WaitingFetch>(std::move(place), request, channel.now()));
}

void serve_fetches(abi::Context context, abi::StringRef name, ChannelKey& key) {
  if (lines.empty()) [[likely]] {
    return;
  }
  const DatabaseKey place{context.database(), std::string(name.view())};
  if (!lines.contains(place)) return;
  if (context.in_transaction()) {
    context.wake_when_over(name);
    return serve_soon(place);
  }
  serve_line(context, place, name, key);
}

void dismiss_fetches(const DatabaseKey& place, ByteView subscriber) {
  const auto line = lines.find(place);
  if (line == lines.end()) return;
  const auto [first, last] = line->second.by_subscriber.equal_range(subscriber);
  std::vector<WaitingFetch*> dismissed;  // a copy: who is told leaves
  for (auto at = first; at != last; ++at) dismissed.push_back(at->second);
  for (WaitingFetch* fetch : dismissed) fetch->dismiss();
}

size_t fetches_waiting(const DatabaseKey& place) {
  const auto line = lines.find(place);
  return line == lines.end() ? 0 : line->second.by_arrival.size();
}

void keep_fetches_alive(abi::Context context, abi::StringRef name, ChannelKey& key, uint64_t expire_ms) {
  if (lines.empty() || !server_decides) return;
  DatabaseKey place{context.database(), std::string(name.view())};
  for (WaitingFetch* fetch : in_line(place)) fetch->keep_alive(context, name, key);
  if (lines.contains(place)) agenda::add(std::move(place), next_sign(key.get()->now(), expire_ms));
}

std::optional<UnixMs> look_after_channel(abi::Context context, abi::StringRef name, UnixMs now) {
  const DatabaseKey place{context.database(), std::string(name.view())};
  if (!lines.contains(place)) return std::nullopt;
  auto key = ChannelKey::for_upkeep(context, name);
  if (!key || key->get() == nullptr) return std::nullopt;
  Channel& channel = *key->get();
  for (int i = 0; i < kKeptPerTurn; ++i) {
    const auto line = lines.find(place);
    if (line == lines.end()) return std::nullopt;
    WaitingFetch* oldest = line->second.by_date.front();
    const UnixMs due = next_sign(oldest->last_sign(), channel.head().expire_ms);
    if (due > now) return due;
    move_time(context, name, channel);
    oldest->keep_alive(context, name, *key);
  }
  return now + 1;
}

}  // namespace millrace::module
