// One thread's epoll loop: sockets that become ready, timers, and jobs from other threads. Everything except post() and
// stop() may be called only in the thread that runs it.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

struct epoll_event;

namespace millrace::gateway {

using Milliseconds = std::chrono::milliseconds;
using Moment = std::chrono::steady_clock::time_point;

// Called when its socket is ready.
class IoHandler {
 public:
  // `events` is a set of epoll flags: EPOLLIN, EPOLLOUT, EPOLLHUP, … …
  virtual void on_ready(uint32_t events) = 0;

 protected:
  ~IoHandler() = default;
};

class EventLoop {
 public:
  using Job = std::function<void()>;
  // Identifies a timer; the default value identifies none.
  using Timer = std::pair<Moment, uint64_t>;

  EventLoop();
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  void run();
  // From any thread. run() returns after the current turn.
  void stop();

  // REQUIRES: the handler exists until forget(). After forget() it is not called again, not even in the same turn.
  void watch(int descriptor, uint32_t events, IoHandler& handler);
  void change(int descriptor, uint32_t events, IoHandler& handler);
  void forget(int descriptor, IoHandler& handler);

  // From any thread: runs the job in the loop's thread.
  void post(Job job);
  // Runs the job at the end of this turn.
  void later(Job job) { later_.push_back(std::move(job)); }

  Timer after(Milliseconds time, Job job);
  // Has no effect if the timer has already fired.
  void cancel(Timer& timer);

  // When this turn began.
  Moment now() const { return now_; }

  // A buffer to read into for callbacks; its content is valid until the callback returns.
  std::span<char> scratch() { return *scratch_; }

 private:
  void turn();
  int wait_time() const;
  void run_due();
  void run_later();
  void take_posted();

  int epoll_;
  int wake_;  // an eventfd
  Moment now_;
  bool stops_ = false;
  uint64_t next_timer_ = 1;
  std::map<Timer, Job> timers_;
  std::vector<Job> later_;
  std::span<epoll_event> ready_;  // remaining events of this turn
  std::unique_ptr<std::array<char, 64 << 10>> scratch_;

  std::mutex mutex_;
  std::vector<Job> posted_;  // guarded by mutex_
};

}  // namespace millrace::gateway
