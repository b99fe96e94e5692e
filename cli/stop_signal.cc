#include "cli/stop_signal.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <system_error>

namespace millrace::cli {
namespace {

// A signal handler can only use globals.
volatile std::sig_atomic_t signal_came = 0;
int pipe_ends[2] = {-1, -1};
volatile int64_t first_came_ms = 0;
volatile std::sig_atomic_t second_ends = 1;
volatile std::sig_atomic_t second_came = 0;

// One request to stop often causes two signals: timeout(1) sends one to the program and one to its group, a supervisor
// sends SIGINT and SIGTERM. A signal that comes later than this is a second request.
constexpr int64_t kSameWishMs = 500;

int64_t now_ms() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

constexpr int kStopSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

void end_at_once(int number) {
  std::signal(number, SIG_DFL);
  std::raise(number);  // delivered when the handler returns
}

void leave_a_mark(int number) {
  const int before = errno;
  if (signal_came == 0) {
    first_came_ms = now_ms();
  } else if (now_ms() - first_came_ms > kSameWishMs) {
    second_came = 1;
    if (second_ends) end_at_once(number);
  }
  signal_came = number;
  // A full pipe is already readable.
  [[maybe_unused]] const auto written = write(pipe_ends[1], "!", 1);
  errno = before;
}

}  // namespace

StopSignal::StopSignal(Second second) {
  second_ends = second == Second::Ends ? 1 : 0;
  if (pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  struct sigaction action {};
  action.sa_handler = leave_a_mark;
  // Only one handler runs at a time, so each sees what the other has stored.
  for (const int number : kStopSignals) sigaddset(&action.sa_mask, number);
  for (const int number : kStopSignals) {
    struct sigaction before {};
    sigaction(number, &action, &before);
    // Under nohup the end of the terminal must not stop the program.
    if (number == SIGHUP && before.sa_handler == SIG_IGN) sigaction(number, &before, nullptr);
  }
}

int StopSignal::number() const { return signal_came; }

bool StopSignal::is_urgent() const { return second_came != 0; }

int StopSignal::descriptor() const { return pipe_ends[0]; }

}  // namespace millrace::cli
