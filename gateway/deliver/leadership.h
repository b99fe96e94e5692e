// Elects one of all deliverers of a webhook: the one that holds a lock on the server may deliver. The others wait for
// the lock.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "gateway/deliver/wakeup.h"
#include "gateway/upstream/upstream.h"

namespace millrace::gateway {

// The lock for the group of a log or the subscriber of a channel. In the second name, "%" and ":" are escaped, so that
// no two pairs of names have the same key.
std::string leadership_key(const std::string& key, std::string_view name);

class Leadership {
 public:
  // `changed` is called when leadership is gained or lost. The lock is held for `lease` and renewed before its end.
  Leadership(EventLoop& loop, Upstream& upstream, std::string key, std::string owner, Milliseconds lease,
             std::function<void()> changed);
  ~Leadership();
  Leadership(const Leadership&) = delete;
  Leadership& operator=(const Leadership&) = delete;

  void start() { run(); }
  bool leads() const { return leads_; }
  // Gives up leadership for good, so that another deliverer can lead.
  void release();

 private:
  Detached run();
  void set(bool leads);
  void watch_lease(Moment since);

  EventLoop& loop_;
  Upstream& upstream_;
  const std::string key_;
  const std::string owner_;
  std::function<void()> changed_;
  Wakeup wakeup_;
  const Milliseconds lease_;
  EventLoop::Timer end_;  // of the lease
  bool leads_ = false;
  bool is_released_ = false;
};

}  // namespace millrace::gateway
