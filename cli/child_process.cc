#include "cli/child_process.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <thread>

namespace millrace::cli {
namespace {

constexpr int kCannotRun = 126;
constexpr int kNotFound = 127;

// How often to check whether a process has ended, where that cannot be waited for, and whether it was stopped at the
// terminal.
constexpr std::chrono::milliseconds kLookForEnd(20);
constexpr std::chrono::milliseconds kLookForStop(500);

// A background process that writes to the terminal is stopped, unless it ignores the signal.
void take_terminal(pid_t group) {
  const auto before = std::signal(SIGTTOU, SIG_IGN);
  tcsetpgrp(STDIN_FILENO, group);
  std::signal(SIGTTOU, before);
}

void tell_failure(const char* program, int why) {
  std::fprintf(stderr, "millrace lock: cannot run %s: %s\n", program, std::strerror(why));
}

[[noreturn]] void become(const std::vector<std::string>& words, const ChildProcess::Environment& variables,
                         pid_t parent, bool takes_terminal) {
  setpgid(0, 0);
  if (takes_terminal) take_terminal(getpgrp());
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) std::_Exit(kCannotRun);  // our process has ended already
  for (int number : {SIGINT, SIGTERM, SIGQUIT, SIGPIPE}) std::signal(number, SIG_DFL);
  if (std::signal(SIGHUP, SIG_DFL) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // the command keeps nohup's setting
  for (const auto& [name, value] : variables) {
    value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
  }
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  const int why = errno;
  tell_failure(arguments[0], why);
  std::_Exit(why == ENOENT ? kNotFound : kCannotRun);
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& words, const Environment& variables)
    : has_terminal_(isatty(STDIN_FILENO) != 0 && tcgetpgrp(STDIN_FILENO) == getpgrp()) {
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) {
    tell_failure(words[0].c_str(), errno);
    status_ = kCannotRun;
    return;
  }
  if (pid_ == 0) become(words, variables, parent, has_terminal_);
  setpgid(pid_, pid_);  // in both processes, because either may come first
  exit_descriptor_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
}

ChildProcess::~ChildProcess() {
  if (!status_) {
    signal(SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  give_terminal_back();
  if (exit_descriptor_ >= 0) close(exit_descriptor_);
}

void ChildProcess::give_terminal_back() const {
  if (has_terminal_) take_terminal(getpgrp());
}

std::optional<int> ChildProcess::reap() {
  int status = 0;
  if (status_ || waitpid(pid_, &status, WNOHANG | WUNTRACED) != pid_) return status_;
  if (WIFSIGNALED(status)) status_ = 128 + WTERMSIG(status);
  if (WIFEXITED(status)) status_ = WEXITSTATUS(status);
  if (WIFSTOPPED(status) && has_terminal_) signal(SIGCONT);
  return status_;
}

std::optional<int> ChildProcess::wait(Milliseconds time, int descriptor) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (!reap()) {
    const auto left = std::chrono::ceil<Milliseconds>(end - std::chrono::steady_clock::now());
    if (left <= Milliseconds(0)) return std::nullopt;
    // A descriptor below zero is skipped by poll().
    pollfd watched[] = {{exit_descriptor_, POLLIN, 0}, {descriptor, POLLIN, 0}};
    Milliseconds most(60'000);
    if (has_terminal_) most = kLookForStop;
    if (exit_descriptor_ < 0) most = kLookForEnd;
    poll(watched, std::size(watched), static_cast<int>(std::min(left, most).count()));
    if (watched[1].revents != 0) return reap();
  }
  return status_;
}

void ChildProcess::signal(int number) const {
  if (pid_ > 0) kill(-pid_, number);
}

bool ChildProcess::somebody_lives() {
  if (pid_ < 0) return false;
  // Zombies of its group that were re-parented to us count as running until they are reaped; the child itself is reaped
  // in reap().
  while (status_ && waitpid(-pid_, nullptr, WNOHANG) > 0) {
  }
  return kill(-pid_, 0) == 0 || errno == EPERM;
}

void ChildProcess::end(Milliseconds grace) {
  const auto last_moment = std::chrono::steady_clock::now() + grace;
  // From now on, orphaned processes become our children: in a container no other process may reap them, and they would
  // seem to run.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  signal(SIGTERM);
  signal(SIGCONT);  // a stopped process does not get the signal
  wait(grace, -1);
  // Processes that it started may take longer than itself.
  while (somebody_lives() && std::chrono::steady_clock::now() < last_moment) std::this_thread::sleep_for(kLookForEnd);
  if (somebody_lives()) signal(SIGKILL);
  while (!reap()) wait(Milliseconds(60'000), -1);
}

}  // namespace millrace::cli
