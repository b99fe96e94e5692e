// Coroutines of one event loop: code that waits for an answer looks like sequential code.
//
//   Task<Response> publish(…) { const auto reply = co_await upstream.ask({"TWRITE", …}); co_return …; }
//
// A Task begins when it is awaited. Arguments are passed by value, because the caller may no longer exist when it
// continues.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace millrace::gateway {

// A coroutine that begins at once and is not awaited.
struct Detached {
  struct promise_type {  // NOLINT(readability-identifier-naming)
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

template <class T>
class [[nodiscard]] Task {
 public:
  struct promise_type {  // NOLINT(readability-identifier-naming)
    struct Resume {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> done) noexcept {
        return done.promise().waiting;
      }
      void await_resume() noexcept {}
    };

    Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    Resume final_suspend() noexcept { return {}; }
    void return_value(T given) { value.emplace(std::move(given)); }
    void unhandled_exception() { std::terminate(); }

    std::coroutine_handle<> waiting;
    std::optional<T> value;
  };

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiting) noexcept {
    handle_.promise().waiting = waiting;
    return handle_;
  }
  T await_resume() { return std::move(*handle_.promise().value); }

 private:
  explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

// Awaits the result of a callback: `start` gets a function that must be called once with the value, at once or later.
template <class T, class Start>
class Told {
 public:
  explicit Told(Start start) : start_(std::move(start)) {}

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) {
    // When start() returns, the coroutine, and this object with it, may already be destroyed.
    Start start = std::move(start_);
    start([this, waiting](T value) {
      value_.emplace(std::move(value));
      waiting.resume();
    });
  }
  T await_resume() { return std::move(*value_); }

 private:
  Start start_;
  std::optional<T> value_;
};

template <class T, class Start>
Told<T, Start> told(Start start) {
  return Told<T, Start>(std::move(start));
}

}  // namespace millrace::gateway
