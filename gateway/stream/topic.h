// A log or a channel with listeners. Listeners that are up to date (live) get new messages at once. A listener that is
// behind, because it has reconnected or is slow, reads separately until it is up to date.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gateway/stream/followers.h"
#include "gateway/stream/listener.h"
#include "gateway/stream/reading.h"

namespace millrace::gateway {

class Topic final : Follower {
 public:
  Topic(EventLoop& loop, Upstream& upstream, Followers& followers, TopicKey key);
  ~Topic();
  Topic(const Topic&) = delete;
  Topic& operator=(const Topic&) = delete;

  const TopicKey& key() const { return key_; }
  bool is_idle() const { return live_.empty() && behind_.empty(); }

  // The listener gets all messages after the position, until leave().
  void join(std::shared_ptr<Listener> listener, Position after);
  void leave(Listener& listener);
  // A listener that was full has room again.
  void resume(Listener& listener);
  // Messages were acknowledged: see Listener::nudge.
  void nudge();

 private:
  // A listener that is not live yet.
  struct Behind {
    std::shared_ptr<Listener> listener;
    Position position;
    bool is_reading = false;
    bool is_told = false;  // its position was sent, by tell_position()
  };

  void on_reading(const Reading& reading) override;
  void on_interruption() override;
  Detached catch_up(std::shared_ptr<Behind> behind);
  bool take(Behind& behind, const Reading& reading);
  void become_live(const std::shared_ptr<Behind>& behind);
  void remove_live(Listener& listener);
  bool is_behind(const std::shared_ptr<Behind>& behind) const;
  bool is_ahead(const Listener& listener, const Position& others, const Reading& reading) const;

  EventLoop& loop_;
  Upstream& upstream_;
  Followers& followers_;
  const TopicKey key_;
  bool follows_ = false;
  Position position_;  // live listeners have all messages up to here
  std::vector<std::shared_ptr<Listener>> live_;
  // Live listeners that had more than the others when they became live, with their positions.
  std::map<Listener*, Position> ahead_;
  std::map<Listener*, std::shared_ptr<Behind>> behind_;
  std::shared_ptr<bool> is_alive_ = std::make_shared<bool>(true);
};

// All topics of an event loop.
class Topics {
 public:
  Topics(EventLoop& loop, Upstream& upstream, Followers& followers)
      : loop_(loop), upstream_(upstream), followers_(followers) {}

  Topic& at(const TopicKey& key);
  // Removes the topic if it has no listeners.
  void release(const TopicKey& key);
  // Calls Topic::nudge if the topic exists.
  void nudge(const TopicKey& key);
  size_t size() const { return topics_.size(); }

 private:
  EventLoop& loop_;
  Upstream& upstream_;
  Followers& followers_;
  std::map<TopicKey, std::unique_ptr<Topic>> topics_;
};

}  // namespace millrace::gateway
