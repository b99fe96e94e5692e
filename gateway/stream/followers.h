// Follows logs and channels: each event loop reads a message once, however many clients listen.
#pragma once

#include "gateway/stream/message.h"

namespace millrace::gateway {

class Follower {
 public:
  // New messages. A follower may stop itself during the call.
  virtual void on_reading(const Reading& reading) = 0;
  // The server could not be reached, or the key is at another place: it may have lost its last messages. What comes
  // next is read after the last reading. A follower may stop itself during the call.
  virtual void on_interruption() = 0;

 protected:
  ~Follower() = default;
};

class Followers {
 public:
  virtual ~Followers() = default;

  // From now on, the follower gets all messages after the position, in order. A gap is always reported.
  // REQUIRES: the follower does not follow this key already.
  virtual void start(const TopicKey& topic, const Position& after, Follower& follower) = 0;
  // The follower is not called again.
  virtual void stop(const TopicKey& topic) = 0;
};

}  // namespace millrace::gateway
