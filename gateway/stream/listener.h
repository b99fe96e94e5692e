// A client that listens to a log or a channel, as the topic sees it.
#pragma once

#include <cstdint>

#include "gateway/stream/batch.h"

namespace millrace::gateway {

class Topic;

class Listener {
 public:
  virtual ~Listener() = default;

  // Messages of the batch from the first on that is meant for it.
  virtual void deliver(Batch& batch, size_t first) = 0;
  virtual void tell_reset(const Reset& reset, const Position& position) = 0;
  // It stands here now, and nothing has come: after the beginning.
  virtual void tell_position(const Position& position) = 0;
  // It is so far behind that nothing more should be kept for it. It then reads on at its own pace.
  virtual bool is_full() const = 0;
  // Somebody has acknowledged something.
  virtual void nudge() {}
  // The server refuses to be read from for good: `why` is its answer.
  virtual void fail(const std::string& why) = 0;

 private:
  friend class Topic;
  static constexpr size_t kNotLive = SIZE_MAX;
  size_t index_ = kNotLive;  // among those of its topic that get what comes
  int64_t joined_at_ = 0;    // messages up to this number it has already
};

}  // namespace millrace::gateway
