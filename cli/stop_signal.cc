#include "cli/stop_signal.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

namespace millrace::cli {
namespace {

// A handler can reach nothing but globals.
volatile std::sig_atomic_t signal_came = 0;
int pipe_ends[2] = {-1, -1};

void leave_a_mark(int number) {
  const int before = errno;
  signal_came = number;
  // A pipe that is full is readable already.
  [[maybe_unused]] const auto written = write(pipe_ends[1], "!", 1);
  errno = before;
}

}  // namespace

StopSignal::StopSignal() {
  if (pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  struct sigaction action {};
  action.sa_handler = leave_a_mark;
  // The second signal finds the system's own way of handling it: the end.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

int StopSignal::number() const { return signal_came; }

int StopSignal::descriptor() const { return pipe_ends[0]; }

}  // namespace millrace::cli
