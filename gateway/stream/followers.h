// Follows logs and channels: each message is read once by an event loop, however many listen.
#pragma once

#include "gateway/stream/message.h"

namespace millrace::gateway {

class Follower {
 public:
  // What has come. A follower may stop itself in it.
  virtual void on_reading(const Reading& reading) = 0;

 protected:
  ~Follower() = default;
};

class Followers {
 public:
  virtual ~Followers() = default;

  // From now on the follower is told what lies behind the position, in order and without a gap that is not told.
  // REQUIRES: it is not told of this key already.
  virtual void start(const TopicKey& topic, const Position& after, Follower& follower) = 0;
  // It is not called again.
  virtual void stop(const TopicKey& topic) = 0;
};

}  // namespace millrace::gateway
