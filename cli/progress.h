// How far a load is, on stderr: a bar that moves on a terminal, else a line every few seconds.
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

// "45 %, 900000 records, 812345 a second, 12 s left", as far as it is known.
std::string progress_text(const ProgressFacts& facts);

// The same behind a bar: "[#########           ] 45 %, …".
std::string progress_bar(const ProgressFacts& facts);

class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  // `command` begins every line: "millrace load". Quiet: shows nothing.
  Progress(std::string command, bool is_quiet);

  // Shows it if it is time to. `facts` is only called then.
  template <class Facts>
  void show(Facts facts) {
    const Clock::time_point now = Clock::now();
    if (is_quiet_ || now < next_) return;
    next_ = now + interval_;
    print(facts());
  }

  // Takes the bar away, so that something else can be written. It comes back by itself.
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
