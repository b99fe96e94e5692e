#include "gateway/loop/background.h"

#include <utility>

namespace millrace::gateway {

Background::Background(unsigned threads) {
  for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

Background::~Background() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
    jobs_.clear();
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Background::run(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    if (stops_) return;
    jobs_.push_back(std::move(job));
  }
  changed_.notify_one();
}

void Background::work() {
  for (;;) {
    std::function<void()> job;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stops_ || !jobs_.empty(); });
      if (stops_) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    job();
  }
}

}  // namespace millrace::gateway
