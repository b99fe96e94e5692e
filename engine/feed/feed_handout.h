// One answer of a feed: the messages of its keys after their positions, as many as the answer may hold.
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
  // The first call for a key: the position after the messages that follow, and their number.
  virtual void begin(const Watch& watch, ByteView position, uint64_t messages) = 0;
  // The views are valid until the call returns. A message of a log, and one of a channel with the position after it.
  virtual void message(const Message& message) = 0;
  virtual void message(const ChannelPosition& position, const Message& message) = 0;
  // The last call for a key. `more`: there is more to read. `missed` messages after the position were evicted or
  // expired before they were read.
  virtual void end(bool more, uint64_t missed) = 0;
  // Instead of all that: the feed watches the key no longer. It is on another server now, or gone.
  virtual void lost(const Watch& watch, bool is_elsewhere) = 0;

 protected:
  ~FeedSink() = default;
};

enum class Handed {
  Nothing,  // the key has nothing new
  All,      // all messages were given
  Some,     // the answer is full, and the key has more
  NoRoom,   // the answer had no room for any message and is_full() now: the key comes first in the next answer
  Gone,     // the log or channel is not the one that the position belongs to
};

class FeedHandout {
 public:
  // Borrows the sink for its own lifetime. At least one message is given if there is one, however large.
  FeedHandout(uint64_t messages, uint64_t bytes, FeedSink& sink) : messages_(messages), bytes_(bytes), sink_(sink) {}

  // True if no more messages fit.
  bool is_full() const { return messages_ == 0 || is_full_; }
  // Messages given so far.
  uint64_t given() const { return given_; }

  // Gives the messages after the position of the watch, and moves the position. O(log n + m) with n blocks of messages
  // and m messages given. REQUIRES: !is_full()
  Handed give(const Log& log, Watch& watch);
  Handed give(const Channel& channel, Watch& watch, UnixMs wall);
  // Says that the key is lost. REQUIRES: !is_full()
  void lose(const Watch& watch, bool is_elsewhere) {
    count_key();
    sink_.lost(watch, is_elsewhere);
  }

 private:
  // Counts an entry other than messages in the answer as one message.
  void count_key() { --messages_; }
  // The messages of a log from here on that fit, at most this many.
  struct Chosen {
    uint64_t count = 0;
    Offset last;
  };
  Chosen choose(const Log& log, Offset from, uint64_t most);
  // True if a message fits into this many bytes, which are then reduced by its size. The first message of an answer
  // always fits.
  bool fits(const Message& message, bool is_first, uint64_t& bytes);

  uint64_t messages_;  // how many messages still fit
  uint64_t bytes_;     // how many bytes still fit
  FeedSink& sink_;
  bool is_full_ = false;
  uint64_t given_ = 0;
  std::vector<Message> chosen_;
};

// --- the position that a watch begins with. Failure: BadPosition ---
Result<FeedPosition> begin_in(const Log& log, const FeedStart& start);
Result<FeedPosition> begin_in(const Channel& channel, const FeedStart& start, UnixMs wall);
// For a key that does not exist yet.
Result<FeedPosition> begin_unborn(const FeedStart& start);

// True if there are messages after the position.
bool has_news(const Log& log, const LogPosition& position);
bool has_news(const Channel& channel, const ChannelPosition& position);

}  // namespace millrace
