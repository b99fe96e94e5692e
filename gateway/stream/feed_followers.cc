#include "gateway/stream/feed_followers.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "gateway/stream/reading.h"

namespace millrace::gateway {
namespace {

constexpr Milliseconds kBlock{20'000};
constexpr Milliseconds kRest{100};
constexpr const char* kMostMessages = "2000";
constexpr const char* kMostBytes = "1048576";

auto rest_a_moment(EventLoop& loop) {
  return told<bool>([&loop](const std::function<void(bool)>& done) { loop.after(kRest, [done] { done(true); }); });
}

std::string feed_start(const Position& position) {
  // An offset without an epoch belongs to a log that did not exist: all its messages will be new.
  return position.text.empty() || position.text == "0" ? "-" : position.text;
}

}  // namespace

FeedFollowers::~FeedFollowers() {
  *is_alive_ = false;
  for (const auto& [topic, followed] : followed_) followed->follower = nullptr;
  for (auto& [node, reader] : readers_) reader.waiting.cancel();
}

void FeedFollowers::start(const TopicKey& topic, const Position& after, Follower& follower) {
  auto followed = std::make_shared<Followed>(Followed{topic, after, &follower});
  followed_[topic] = followed;
  attach(std::move(followed), false);
}

void FeedFollowers::stop(const TopicKey& topic) {
  const auto found = followed_.find(topic);
  if (found == followed_.end()) return;
  const auto followed = found->second;
  followed_.erase(found);
  followed->follower = nullptr;
  if (!followed->node) return;
  leave_feed(*followed->node, topic.name);
  if (!has_keys(*followed->node)) readers_[*followed->node].waiting.cancel();
}

// Does nothing if the key is followed by another follower, which may have started since or use the other kind: for the
// feed it is one key.
void FeedFollowers::leave_feed(const NodeName& node, const std::string& name) {
  for (const auto kind : {TopicKey::Kind::Log, TopicKey::Kind::Channel}) {
    if (followed_.contains({kind, name})) return;
  }
  upstream_.call_at(node, {"FEED.DEL", name_, name}, [](const Answer&) {});
}

bool FeedFollowers::has_keys(const NodeName& node) const {
  return std::ranges::any_of(followed_, [&](const auto& one) { return one.second->node == node; });
}

// Adds the key to a feed. `reads_first`: the key may have changed since it was last read.
Detached FeedFollowers::attach(FollowedPtr followed, bool reads_first) {
  const auto alive = is_alive_;
  while (*alive && followed->follower != nullptr) {
    const bool is_read = !reads_first || co_await read_up(followed);
    if (!*alive || followed->follower == nullptr) co_return;
    if (is_read && co_await add(followed)) co_return;
    if (!*alive) co_return;
    reads_first = true;
    co_await rest_a_moment(loop_);
  }
}

// Reads and reports everything after the position.
Task<bool> FeedFollowers::read_up(FollowedPtr followed) {
  const auto alive = is_alive_;
  followed->follower->on_interruption();
  if (followed->follower == nullptr) co_return false;
  for (bool has_more = true; has_more;) {
    const auto reading = co_await read_after(upstream_, followed->topic, followed->position);
    if (!*alive || followed->follower == nullptr || !reading) co_return false;
    followed->position = reading->position;
    has_more = reading->has_more;
    if (reading->reset || !reading->messages.empty()) followed->follower->on_reading(*reading);
    if (!*alive || followed->follower == nullptr) co_return false;
  }
  co_return true;
}

Task<bool> FeedFollowers::add(FollowedPtr followed) {
  const auto alive = is_alive_;
  const NodeName node = upstream_.node_name_of(followed->topic.name);
  Words words = {"FEED.ADD", name_, followed->topic.name, feed_start(followed->position)};
  const Answer answer = co_await told<Answer>(
      [this, &node, &words](Link::Done done) { upstream_.call_at(node, words, std::move(done)); });
  if (!*alive || !answer || answer->is_error()) co_return false;
  if (followed->follower == nullptr) {
    leave_feed(node, followed->topic.name);
    co_return true;
  }
  followed->node = node;
  if (!readers_[node].is_running) run_reader(node);
  co_return true;
}

Detached FeedFollowers::run_reader(NodeName node) {
  const auto alive = is_alive_;
  Reader& reader = readers_[node];
  reader.is_running = true;
  while (*alive && has_keys(node)) {
    Words words = {"FEED.READ", name_,      "MAX",   kMostMessages,
                   "BYTES",     kMostBytes, "BLOCK", std::to_string(kBlock.count())};
    const Answer answer = co_await told<Answer>([this, &node, &reader, &words](Link::Done done) {
      upstream_.call_waiting_at(node, words, kBlock, reader.waiting, std::move(done));
    });
    if (!*alive) co_return;
    if (answer && answer->is_array()) {
      take(*answer, node);
    } else if (has_keys(node)) {
      // The server cannot be reached, or has dropped the feed. In both cases, do not ask again without a pause.
      co_await rest_a_moment(loop_);
      if (!*alive) co_return;
      attach_again(node);
    }
  }
  reader.is_running = false;
}

void FeedFollowers::attach_again(const NodeName& node) {
  std::vector<FollowedPtr> lost;
  for (const auto& [topic, followed] : followed_) {
    if (followed->node == node) lost.push_back(followed);
  }
  for (const FollowedPtr& followed : lost) {
    followed->node.reset();
    attach(followed, true);
  }
}

// [[key, position, [message ...], more, missed] | [key, "gone"|"moved"], ...]
void FeedFollowers::take(const client::Reply& answer, const NodeName& node) {
  for (const client::Reply& entry : answer.items) take_key(entry, node);
}

void FeedFollowers::take_key(const client::Reply& entry, const NodeName& node) {
  if (entry.items.size() != 2 && entry.items.size() != 5) return;
  for (const auto kind : {TopicKey::Kind::Log, TopicKey::Kind::Channel}) {
    const auto found = followed_.find({kind, entry.items[0].text});
    if (found == followed_.end()) continue;
    const FollowedPtr followed = found->second;
    if (entry.items.size() == 5) {
      take_messages(followed, entry);
    } else {
      followed->node.reset();
      attach(followed, true);
    }
  }
  // If the key is not followed any more, the request to end this was lost with a connection.
  leave_feed(node, entry.items[0].text);
}

void FeedFollowers::take_messages(const FollowedPtr& followed, const client::Reply& entry) {
  auto reading = feed_reading(followed->topic, followed->position, entry);
  if (!reading || followed->follower == nullptr) return;
  followed->position = reading->position;
  if (reading->reset || !reading->messages.empty()) followed->follower->on_reading(*reading);
}

}  // namespace millrace::gateway
