// Follows each key by reads of its own: a log by reads that wait at the server, each on a connection of its own, a
// channel by reads that are repeated.
#pragma once

#include <map>
#include <memory>

#include "gateway/loop/task.h"
#include "gateway/stream/followers.h"
#include "gateway/upstream/upstream.h"

namespace millrace::gateway {

class ReadingFollowers final : public Followers {
 public:
  ReadingFollowers(EventLoop& loop, Upstream& upstream) : loop_(loop), upstream_(upstream) {}
  ~ReadingFollowers() override;

  void start(const TopicKey& topic, const Position& after, Follower& follower) override;
  void stop(const TopicKey& topic) override;

 private:
  struct Followed {
    TopicKey topic;
    Position position;
    Follower* follower;  // null: it has stopped
    Upstream::Waiting waiting = {};
  };

  Detached follow(std::shared_ptr<Followed> followed);
  Task<bool> wait_for_news(std::shared_ptr<Followed> followed);

  EventLoop& loop_;
  Upstream& upstream_;
  std::map<TopicKey, std::shared_ptr<Followed>> followed_;
};

}  // namespace millrace::gateway
