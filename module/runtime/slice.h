// How long work outside of commands may occupy the main thread. When a slice is over, the current step is finished, and
// the rest waits for the next slice.
#pragma once

#include <chrono>

namespace millrace::module {

class Slice {
 public:
  Slice() = default;
  // For work with long steps, or work that shares a turn of the event loop with other work.
  explicit Slice(std::chrono::microseconds length) : length_(length) {}

  bool is_over() const { return std::chrono::steady_clock::now() - start_ >= length_; }

 private:
  std::chrono::microseconds length_{500};
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace millrace::module
