// The progress of a load on stderr: a moving bar on a terminal, otherwise a line every few seconds.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace millrace::cli {

struct ProgressFacts {
  uint64_t done = 0;  // commands that were answered in this run
  uint64_t bytes = 0;
  std::optional<uint64_t> all_bytes;
  double seconds = 0;
};

// "45 %, 900000 records, 812345 a second, 12 s left", as far as known.
std::string progress_text(const ProgressFacts& facts);

// The same after a bar: "[#########           ] 45 %, …".
std::string progress_bar(const ProgressFacts& facts);

class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  // `command` begins every line: "millrace load". `is_quiet`: shows nothing.
  Progress(std::string command, bool is_quiet);

  // Shows the progress if it is time to. `facts` is called only then.
  template <class Facts>
  void show(Facts facts) {
    const Clock::time_point now = Clock::now();
    if (is_quiet_ || now < next_) return;
    next_ = now + interval_;
    print(facts());
  }

  // Removes the bar, so that other text can be written. It reappears by itself.
  void clear();

 private:
  void print(const ProgressFacts& facts);

  std::string command_;
  bool is_quiet_;
  bool is_terminal_;
  bool has_bar_ = false;
  std::chrono::milliseconds interval_;
  Clock::time_point next_;
};

}  // namespace millrace::cli
