// A program that runs under our eyes, with everything it starts: in a process group of its
// own, which has the terminal if we had it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace millrace::cli {

class ChildProcess {
 public:
  using Milliseconds = std::chrono::milliseconds;
  using Environment = std::vector<std::pair<std::string, std::string>>;

  // Starts it, with these variables added to the environment. If we die, it is ended too.
  // A program that cannot be started ends with 127 (not found) or 126, as shells have it.
  // REQUIRES: at least one word.
  ChildProcess(const std::vector<std::string>& words, const Environment& variables);
  // Kills what still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Waits until it has ended, `descriptor` is readable (-1: none), or the time is over.
  // What it ended with, as shells count: its status, or 128 and the signal's number.
  std::optional<int> wait(Milliseconds time, int descriptor);

  // Sends a signal to it and to everything it started.
  void signal(int number) const;

 private:
  std::optional<int> reap();
  void give_terminal_back() const;

  pid_t pid_;
  int exit_descriptor_;  // readable once it has ended; -1 where the system has no such thing
  bool has_terminal_;
  std::optional<int> status_;
};

}  // namespace millrace::cli
