// One read of a feed: its dirty keys are handed out in turn, and each is put where it belongs afterwards.
#pragma once

#include <cstdint>

#include "engine/base/bytes.h"
#include "engine/base/strong.h"
#include "engine/channel/channel.h"
#include "engine/feed/feed.h"
#include "engine/feed/feed_handout.h"
#include "engine/log/log.h"

namespace millrace {

// The logs and channels behind the keys of a feed, for one reader. Where they are kept, and whether the reader may see
// them, is known to the caller alone.
class FeedKeys {
 public:
  // What a key holds; valid until the next call of find().
  struct Found {
    const Log* log = nullptr;
    const Channel* channel = nullptr;
    bool is_missing = false;  // there is no such key
    bool is_hidden = false;   // the reader has no right to it, and is not told more
  };
  virtual Found find(ByteView key) = 0;
  // True if the reader would be redirected to another server for this key.
  virtual bool is_elsewhere(ByteView key) = 0;
  // The key that was found last stays in the feed: writes to it must be reported from now on.
  virtual void report_writes() = 0;

 protected:
  ~FeedKeys() = default;
};

// The most keys that are looked at in one read: many may be dirty although they have no messages for the reader.
inline constexpr int kMostKeysOfRead = 10'000;

// Hands out dirty keys until the answer is full. A key with more to read goes to the end of the queue. A key that was
// deleted or replaced is removed from the feed, which is reported once.
void read_feed(Feed& feed, FeedKeys& keys, FeedHandout& handout, UnixMs wall);

}  // namespace millrace
