#include "gateway/stream/reading_followers.h"

#include <algorithm>
#include <utility>

#include "gateway/stream/reading.h"

namespace millrace::gateway {
namespace {

constexpr Milliseconds kBlock{10'000};
constexpr Milliseconds kRepeat{50};
constexpr Milliseconds kLongestPause{2000};

}  // namespace

ReadingFollowers::~ReadingFollowers() {
  while (!followed_.empty()) stop(TopicKey(followed_.begin()->first));
}

void ReadingFollowers::start(const TopicKey& topic, const Position& after, Follower& follower) {
  auto followed = std::make_shared<Followed>(Followed{topic, after, &follower});
  followed_[topic] = followed;
  follow(std::move(followed));
}

void ReadingFollowers::stop(const TopicKey& topic) {
  const auto found = followed_.find(topic);
  if (found == followed_.end()) return;
  const auto followed = found->second;
  followed_.erase(found);
  followed->follower = nullptr;
  followed->waiting.cancel();
}

Detached ReadingFollowers::follow(std::shared_ptr<Followed> followed) {
  Milliseconds pause = kRepeat;
  while (followed->follower != nullptr) {
    const auto reading = co_await read_after(upstream_, followed->topic, followed->position);
    if (followed->follower == nullptr) co_return;
    if (reading) {
      pause = kRepeat;
      followed->position = reading->position;
      if (reading->reset || !reading->messages.empty()) followed->follower->on_reading(*reading);
      if (followed->follower == nullptr) co_return;
      if (reading->has_more || !reading->messages.empty()) continue;
    }
    // Without an answer the server is gone for now; a read of a channel is repeated.
    if (!reading || !co_await wait_for_news(followed)) {
      const Milliseconds rest = reading ? kRepeat : std::exchange(pause, std::min(pause * 2, kLongestPause));
      co_await told<bool>(
          [this, rest](const std::function<void(bool)>& done) { loop_.after(rest, [done] { done(true); }); });
    }
  }
}

// False: it could not be waited for.
Task<bool> ReadingFollowers::wait_for_news(std::shared_ptr<Followed> followed) {
  if (followed->topic.kind != TopicKey::Kind::Log) co_return false;
  Words words = words_to_read(followed->topic, followed->position);
  words[3] = "1";
  words.insert(words.end(), {"BLOCK", std::to_string(kBlock.count())});
  const Answer answer = co_await told<Answer>(
      [&](Link::Done done) { upstream_.call_waiting(words, 1, kBlock, followed->waiting, std::move(done)); });
  co_return answer.has_value();
}

}  // namespace millrace::gateway
