// Threads for what can only be done by waiting: opening connections, with names to look up, TLS, logins and sentinels
// to ask.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace millrace::gateway {

class Background {
 public:
  explicit Background(unsigned threads);
  // Waits for the jobs that run, and drops those that have not begun.
  ~Background();

  // From any thread.
  void run(std::function<void()> job);

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;  // by mutex_
  bool stops_ = false;                      // by mutex_
  std::vector<std::thread> threads_;
};

}  // namespace millrace::gateway
