// Threads for blocking work: opening connections, which includes DNS lookups, TLS, logins and queries to sentinels.
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
  // Waits for running jobs, and drops those that have not begun.
  ~Background();

  // From any thread.
  void run(std::function<void()> job);

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;  // guarded by mutex_
  bool stops_ = false;                      // guarded by mutex_
  std::vector<std::thread> threads_;
};

}  // namespace millrace::gateway
