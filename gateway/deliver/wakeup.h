// A coroutine that sleeps until it is woken, or for a time.
#pragma once

#include <functional>
#include <utility>

#include "gateway/loop/event_loop.h"
#include "gateway/loop/task.h"

namespace millrace::gateway {

class Wakeup {
 public:
  explicit Wakeup(EventLoop& loop) : loop_(loop) {}
  ~Wakeup() { loop_.cancel(timer_); }
  Wakeup(const Wakeup&) = delete;
  Wakeup& operator=(const Wakeup&) = delete;

  // Waits until wake() is called (which may have happened before), or until the time is over. Only one coroutine waits
  // at a time.
  auto wait(Milliseconds time) {
    return told<bool>([this, time](std::function<void(bool)> done) {
      if (std::exchange(is_woken_, false)) return loop_.later([done = std::move(done)] { done(true); });
      timer_ = loop_.after(time, [this] { end(false); });
      waiting_ = std::move(done);
    });
  }

  void wake() {
    if (!waiting_) {
      is_woken_ = true;
      return;
    }
    loop_.cancel(timer_);
    // Later, because the coroutine may call the function that wakes it.
    loop_.later([done = std::exchange(waiting_, nullptr)] { done(true); });
  }

 private:
  void end(bool woken) {
    timer_ = {};
    const auto done = std::exchange(waiting_, nullptr);
    if (done) done(woken);
  }

  EventLoop& loop_;
  EventLoop::Timer timer_;
  std::function<void(bool)> waiting_;
  bool is_woken_ = false;
};

}  // namespace millrace::gateway
