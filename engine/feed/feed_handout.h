// One answer of a feed: what its keys have behind their positions, as much as the answer may hold.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/error.h"
#include "engine/channel/channel.h"
#include "engine/feed/feed.h"
#include "engine/log/log.h"

namespace millrace {

// Where an answer is put, key by key, without copying messages.
class FeedSink {
 public:
  // First of all for a key: the position behind the messages that follow, and how many they are.
  virtual void begin(const Watch& watch, ByteView position, uint64_t messages) = 0;
  // The views are valid until the call returns. A log's, and a channel's with the position behind it.
  virtual void message(const Message& message) = 0;
  virtual void message(const ChannelPosition& position, const Message& message) = 0;
  // Last of all for a key. `more`: there is more to read. `missed` messages behind the position were evicted or have
  // expired before they were read.
  virtual void end(bool more, uint64_t missed) = 0;

 protected:
  ~FeedSink() = default;
};

enum class Handed {
  Nothing,  // the key has nothing new
  All,      // everything was given
  Some,     // the answer is full, and the key has more
  NoRoom,   // the answer was too full for any of it, and is_full() now: the key comes first in the next one
  Gone,     // the log or channel is not the one that the position belongs to
};

class FeedHandout {
 public:
  // Borrows the sink for its own lifetime. At least one message is given if there is one, however large.
  FeedHandout(uint64_t messages, uint64_t bytes, FeedSink& sink) : messages_(messages), bytes_(bytes), sink_(sink) {}

  // Nothing more fits.
  bool is_full() const { return messages_ == 0 || is_full_; }
  // Messages given so far.
  uint64_t given() const { return given_; }

  // Gives what lies behind the position of the watch, and moves that on. O(log n + m) with n blocks of messages and m
  // messages given. REQUIRES: !is_full()
  Handed give(const Log& log, Watch& watch);
  Handed give(const Channel& channel, Watch& watch, UnixMs wall);
  // The answer holds something else for a key, which counts as a message. REQUIRES: !is_full()
  void count_key() { --messages_; }

 private:
  // The messages of a log from here on that fit, at most this many.
  struct Chosen {
    uint64_t count = 0;
    Offset last;
  };
  Chosen choose(const Log& log, Offset from, uint64_t most);
  // True if a message fits into this many bytes, which are then reduced by it. The first one of an answer always does.
  bool fits(const Message& message, bool is_first, uint64_t& bytes);

  uint64_t messages_;  // that still fit
  uint64_t bytes_;     // the same
  FeedSink& sink_;
  bool is_full_ = false;
  uint64_t given_ = 0;
  std::vector<Message> chosen_;
};

// --- the position that a watch begins with. Failure: BadPosition ---
Result<FeedPosition> begin_in(const Log& log, const FeedStart& start);
Result<FeedPosition> begin_in(const Channel& channel, const FeedStart& start, UnixMs wall);
// Where there is no such key yet.
Result<FeedPosition> begin_unborn(const FeedStart& start);

// True if there is something to give behind the position.
bool has_news(const Log& log, const LogPosition& position);
bool has_news(const Channel& channel, const ChannelPosition& position);

}  // namespace millrace
