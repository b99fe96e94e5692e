// How long work outside of commands may keep the main thread: what is in hand when a slice is
// over is finished, and the rest waits for the next one.
#pragma once

#include <chrono>

namespace millrace::module {

class Slice {
 public:
  Slice() = default;
  // For work whose steps are long, or that meets other work in one turn of the event loop.
  explicit Slice(std::chrono::microseconds length) : length_(length) {}

  bool is_over() const { return std::chrono::steady_clock::now() - start_ >= length_; }

 private:
  std::chrono::microseconds length_{500};
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace millrace::module
