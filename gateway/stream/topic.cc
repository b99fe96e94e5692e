#include "gateway/stream/topic.h"

#include <algorithm>
#include <utility>

namespace millrace::gateway {
namespace {

constexpr Milliseconds kFirstRest{50};
constexpr Milliseconds kLongestRest{2000};

// A short pause of a coroutine.
auto rest(EventLoop& loop, Milliseconds time) {
  return told<bool>([&loop, time](const std::function<void(bool)>& done) { loop.after(time, [done] { done(true); }); });
}

// Whether the error may pass by itself.
bool passes(const client::Error& error) {
  if (error.code != client::ErrorCode::BadInput) return true;
  for (const std::string_view word :
       {"LOADING", "CLUSTERDOWN", "TRYAGAIN", "MASTERDOWN", "READONLY", "BUSY", "MOVED", "ASK"}) {
    if (error.text.starts_with(word)) return true;
  }
  return false;
}

}  // namespace

Topic::Topic(EventLoop& loop, Upstream& upstream, Followers& followers, TopicKey key)
    : loop_(loop), upstream_(upstream), followers_(followers), key_(std::move(key)) {}

Topic::~Topic() {
  *is_alive_ = false;
  if (follows_) followers_.stop(key_);
}

void Topic::join(std::shared_ptr<Listener> listener, Position after) {
  auto behind = std::make_shared<Behind>(Behind{std::move(listener), std::move(after)});
  behind_[behind->listener.get()] = behind;
  catch_up(std::move(behind));
}

void Topic::leave(Listener& listener) {
  behind_.erase(&listener);
  if (listener.index_ != Listener::kNotLive) remove_live(listener);
  if (live_.empty() && follows_) {
    follows_ = false;
    followers_.stop(key_);
  }
}

void Topic::resume(Listener& listener) {
  const auto found = behind_.find(&listener);
  if (found != behind_.end() && !found->second->is_reading) catch_up(found->second);
}

bool Topic::is_behind(const std::shared_ptr<Behind>& behind) const {
  const auto found = behind_.find(behind->listener.get());
  return found != behind_.end() && found->second == behind;
}

// Reads for one listener, until it is up to date, is full or leaves. Whether it is up to date is decided by comparing
// with the topic's position: an empty reading may be older than what live listeners already got.
Detached Topic::catch_up(std::shared_ptr<Behind> behind) {
  const auto alive = is_alive_;
  behind->is_reading = true;
  Milliseconds pause = kFirstRest;
  while (*alive && is_behind(behind) && !behind->listener->is_full()) {
    const auto reading = co_await read_after(upstream_, key_, behind->position);
    if (!*alive || !is_behind(behind)) co_return;
    if (!reading) {
      if (!passes(reading.error())) {
        const auto listener = behind->listener;
        leave(*listener);
        listener->fail(reading.error().text);
        co_return;
      }
      co_await rest(loop_, std::exchange(pause, std::min(pause * 2, kLongestRest)));
      continue;
    }
    const bool has_everything = take(*behind, *reading);
    if (!*alive || !is_behind(behind)) co_return;
    if (has_everything) co_return become_live(behind);
    if (reading->has_more || !reading->messages.empty()) {
      pause = kFirstRest;
    } else {
      // The topic is in another life of the key, or will soon get the messages of this reading.
      co_await rest(loop_, std::exchange(pause, std::min(pause * 2, kLongestRest)));
    }
  }
  behind->is_reading = false;
}

// Gives a reading to one listener. True if it then has everything that live listeners have.
bool Topic::take(Behind& behind, const Reading& reading) {
  const auto listener = behind.listener;
  behind.position = reading.position;
  if (reading.reset) listener->tell_reset(*reading.reset);
  if (!reading.messages.empty()) {
    Batch batch(key_, reading.messages);
    listener->deliver(batch, 0);
  } else if (!behind.is_told && !reading.reset && !reading.position.text.empty()) {
    listener->tell_position(reading.position);
  }
  behind.is_told = true;
  if (reading.has_more) return false;
  if (!follows_) return true;
  return same_life(key_.kind, reading.position, position_) && reading.position.number >= position_.number;
}

void Topic::become_live(const std::shared_ptr<Behind>& behind) {
  const auto listener = behind->listener;
  behind_.erase(listener.get());
  listener->index_ = live_.size();
  listener->joined_at_ = behind->position.number;
  live_.push_back(listener);
  if (follows_ && behind->position.number > position_.number) ahead_[listener.get()] = behind->position;
  if (follows_) return;
  follows_ = true;
  position_ = behind->position;
  followers_.start(key_, position_, *this);
}

// A listener that has just joined may be ahead of the others, by more than one reading if the feed lags.
bool Topic::is_ahead(const Listener& listener, const Position& others, const Reading& reading) const {
  if (listener.joined_at_ <= others.number) return false;
  if (!reading.reset) return true;
  const auto& gap_end = reading.reset->gap_end;
  return gap_end && *gap_end <= listener.joined_at_ && same_life(key_.kind, others, reading.position);
}

void Topic::on_reading(const Reading& reading) {
  const Position before = std::exchange(position_, reading.position);
  Batch batch(key_, reading.messages);
  // Backwards, because the last listener takes the place of one that is full or leaves. If several leave at once, it
  // may come again; then it has the reading already, because of joined_at_.
  for (size_t i = live_.size(); i-- > 0;) {
    if (i >= live_.size()) continue;
    const auto listener = live_[i];
    if (!is_ahead(*listener, before, reading)) {
      listener->joined_at_ = INT64_MIN;
      if (reading.reset) listener->tell_reset(*reading.reset);
      if (listener->index_ == Listener::kNotLive) continue;  // its connection was broken
      if (listener->is_full()) {
        remove_live(*listener);
        const Position& next = reading.reset ? reading.reset->position : before;
        behind_[listener.get()] = std::make_shared<Behind>(Behind{listener, next, false, true});
        continue;
      }
    }
    size_t first = 0;
    while (first < reading.messages.size() && reading.messages[first].position.number <= listener->joined_at_) ++first;
    listener->joined_at_ = std::max(listener->joined_at_, reading.position.number);
    if (first < reading.messages.size()) listener->deliver(batch, first);
  }
  std::erase_if(ahead_, [&](const auto& one) { return one.second.number <= position_.number; });
}

// The others cannot notice the loss of messages that only these have. So these read after their own positions.
void Topic::on_interruption() {
  std::vector<std::shared_ptr<Behind>> fallen;
  for (const auto& [listener, position] : std::exchange(ahead_, {})) {
    fallen.push_back(std::make_shared<Behind>(Behind{live_[listener->index_], position, false, true}));
  }
  for (const auto& behind : fallen) {
    remove_live(*behind->listener);
    behind_[behind->listener.get()] = behind;
  }
  for (const auto& behind : fallen) {
    if (is_behind(behind)) catch_up(behind);
  }
}

void Topic::nudge() {
  const auto live = live_;
  for (const auto& listener : live) listener->nudge();
}

void Topic::remove_live(Listener& listener) {
  const size_t index = std::exchange(listener.index_, Listener::kNotLive);
  std::swap(live_[index], live_.back());
  live_[index]->index_ = index;
  listener.index_ = Listener::kNotLive;
  live_.pop_back();
  ahead_.erase(&listener);
}

Topic& Topics::at(const TopicKey& key) {
  auto& topic = topics_[key];
  if (!topic) topic = std::make_unique<Topic>(loop_, upstream_, followers_, key);
  return *topic;
}

void Topics::nudge(const TopicKey& key) {
  if (const auto found = topics_.find(key); found != topics_.end()) found->second->nudge();
}

void Topics::release(const TopicKey& key) {
  // Later: the topic itself may be notifying the listener that leaves.
  loop_.later([this, key] {
    const auto found = topics_.find(key);
    if (found != topics_.end() && found->second->is_idle()) topics_.erase(found);
  });
}

}  // namespace millrace::gateway
