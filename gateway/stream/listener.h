// A client that listens to a log or a channel, as the topic sees it.
#pragma once

#include <cstdint>

#include "gateway/stream/batch.h"

namespace millrace::gateway {

class Topic;

class Listener {
 public:
  virtual ~Listener() = default;

  // Delivers the messages of the batch from index `first` on; earlier ones are not for this listener.
  virtual void deliver(Batch& batch, size_t first) = 0;
  virtual void tell_reset(const Reset& reset) = 0;
  // The listener's position at the beginning, when there is no message yet.
  virtual void tell_position(const Position& position) = 0;
  // True if the listener is so far behind that the topic must not buffer more for it. It then reads at its own pace.
  virtual bool is_full() const = 0;
  // Called when a client has acknowledged messages of the channel.
  virtual void nudge() {}
  // The server permanently refuses reads of this topic: `why` is its answer.
  virtual void fail(const std::string& why) = 0;

 private:
  friend class Topic;
  static constexpr size_t kNotLive = SIZE_MAX;
  size_t index_ = kNotLive;  // index among the live listeners of its topic
  int64_t joined_at_ = 0;    // it already has messages up to this number
};

// A listener that fetches by itself: new messages of the channel only tell it that a fetch may find something.
class FetchingListener : public Listener {
 protected:
  virtual void fetch() = 0;

 private:
  void deliver(Batch&, size_t) override { fetch(); }
  void tell_reset(const Reset&) override { fetch(); }
  void tell_position(const Position&) override {}
  void nudge() override { fetch(); }
  bool is_full() const override { return false; }
};

}  // namespace millrace::gateway
