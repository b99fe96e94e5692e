#include "gateway/loop/event_loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace millrace::gateway {
namespace {

constexpr int kReadyAtOnce = 256;
constexpr int kLongestWaitMs = 60'000;

}  // namespace

EventLoop::EventLoop()
    : epoll_(epoll_create1(EPOLL_CLOEXEC)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      now_(std::chrono::steady_clock::now()),
      scratch_(std::make_unique<std::array<char, 64 << 10>>()) {
  if (epoll_ < 0 || wake_ < 0) throw std::system_error(errno, std::generic_category(), "epoll");
  epoll_event event{.events = EPOLLIN, .data = {.ptr = nullptr}};
  epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_, &event);
}

EventLoop::~EventLoop() {
  ::close(wake_);
  ::close(epoll_);
}

void EventLoop::run() {
  while (!stops_) turn();
}

void EventLoop::stop() {
  post([this] { stops_ = true; });
}

void EventLoop::watch(int descriptor, uint32_t events, IoHandler& handler) {
  epoll_event event{.events = events, .data = {.ptr = &handler}};
  epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event);
}

void EventLoop::change(int descriptor, uint32_t events, IoHandler& handler) {
  epoll_event event{.events = events, .data = {.ptr = &handler}};
  epoll_ctl(epoll_, EPOLL_CTL_MOD, descriptor, &event);
}

void EventLoop::forget(int descriptor, IoHandler& handler) {
  epoll_ctl(epoll_, EPOLL_CTL_DEL, descriptor, nullptr);
  for (epoll_event& event : ready_) {
    if (event.data.ptr == &handler) event.events = 0;
  }
}

void EventLoop::post(Job job) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(job));
  }
  const uint64_t one = 1;
  [[maybe_unused]] const auto written = write(wake_, &one, sizeof one);
}

EventLoop::Timer EventLoop::after(Milliseconds time, Job job) {
  const Timer timer{now_ + time, next_timer_++};
  timers_.emplace(timer, std::move(job));
  return timer;
}

void EventLoop::cancel(Timer& timer) {
  timers_.erase(timer);
  timer = {};
}

void EventLoop::turn() {
  epoll_event events[kReadyAtOnce];
  const int count = epoll_wait(epoll_, events, kReadyAtOnce, wait_time());
  now_ = std::chrono::steady_clock::now();
  if (count < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "epoll_wait");
  ready_ = std::span(events, static_cast<size_t>(count > 0 ? count : 0));
  while (!ready_.empty()) {
    const epoll_event event = ready_.front();
    ready_ = ready_.subspan(1);
    if (event.data.ptr == nullptr) {
      take_posted();
    } else if (event.events != 0) {
      static_cast<IoHandler*>(event.data.ptr)->on_ready(event.events);
    }
  }
  run_due();
  run_later();
}

int EventLoop::wait_time() const {
  if (!later_.empty()) return 0;
  if (timers_.empty()) return kLongestWaitMs;
  const auto left =
      std::chrono::ceil<Milliseconds>(timers_.begin()->first.first - std::chrono::steady_clock::now()).count();
  return static_cast<int>(left < 0 ? 0 : left < kLongestWaitMs ? left : kLongestWaitMs);
}

void EventLoop::run_due() {
  while (!timers_.empty() && timers_.begin()->first.first <= now_) {
    auto due = timers_.extract(timers_.begin());
    due.mapped()();
  }
}

void EventLoop::run_later() {
  std::vector<Job> jobs;
  jobs.swap(later_);
  for (Job& job : jobs) job();
}

void EventLoop::take_posted() {
  uint64_t count = 0;
  [[maybe_unused]] const auto got = read(wake_, &count, sizeof count);
  std::vector<Job> jobs;
  {
    const std::lock_guard lock(mutex_);
    jobs.swap(posted_);
  }
  for (Job& job : jobs) job();
}

}  // namespace millrace::gateway
