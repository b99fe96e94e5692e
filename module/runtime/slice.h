// How long work outside of commands may occupy the main thread. When a slice is over, the current step is finished, and
// the rest waits for the next slice.
#pragma once

#include <time.h>

#include <chrono>

namespace millrace::module {

class Slice {
 public:
  Slice() = default;
  // For work with long steps, or work that shares a turn of the event loop with other work.
  explicit Slice(std::chrono::microseconds length) : length_(length) {}

  // Processor time counts, so that a slice does as much on a busy machine as on a quiet one. Asking for it is a system
  // call, so the clock is asked first.
  bool is_over() const {
    return std::chrono::steady_clock::now() - start_ >= length_ && processor_time() - started_with_ >= length_;
  }

 private:
  static std::chrono::nanoseconds processor_time() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  }

  std::chrono::microseconds length_{500};
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::nanoseconds started_with_ = processor_time();
};

}  // namespace millrace::module
