// How long work outside of commands may keep the main thread: what is in hand when a slice is
// over is finished, and the rest waits for the next one.
#pragma once

#include <chrono>

namespace millrace::module {

class Slice {
 public:
  bool is_over() const { return std::chrono::steady_clock::now() - start_ >= std::chrono::microseconds(500); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace millrace::module
