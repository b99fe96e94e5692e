// A child process with everything it starts. It has its own process group, which gets the terminal if we had it. Ctrl-Z
// does not stop it: otherwise a lock would run out meanwhile, or stay for ever.
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
  // Variables to add, or to remove if there is no value.
  using Environment = std::vector<std::pair<std::string, std::optional<std::string>>>;

  // Starts it, with these changes to the environment. If we die, it gets SIGTERM; the processes it started do not. A
  // program that cannot be started ends with 127 (not found) or 126, as in shells, and the reason is on stderr.
  // REQUIRES: at least one word.
  ChildProcess(const std::vector<std::string>& words, const Environment& variables);
  // Kills processes that still run.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Waits until it has ended, `descriptor` is readable (-1: none), or the time is over.
  // Returns its exit status, as in shells: its status, or 128 plus the signal's number. nullopt: it still runs.
  std::optional<int> wait(Milliseconds time, int descriptor);

  // Sends a signal to it and to everything it started, except what left its group.
  void signal(int number) const;

  // Ends it and everything it started: SIGTERM, and SIGKILL for processes that still run after `grace`.
  // Returns once the program has ended.
  void end(Milliseconds grace);

 private:
  std::optional<int> reap();
  bool somebody_lives();
  void give_terminal_back() const;

  pid_t pid_;                 // below 0: it could not be started
  int exit_descriptor_ = -1;  // readable once it has ended; -1 if the system does not support this
  bool has_terminal_;
  std::optional<int> status_;
};

}  // namespace millrace::cli
