// What all actors of the demo share: the server, the rate, the end of the demo, and the messages to the user.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "client/connection.h"

namespace millrace::cli::demo {

using client::Milliseconds;

// Threads may use it at the same time.
class Stage {
 public:
  Stage(client::ConnectionOptions server, double rate) : server_(std::move(server)), rate_(rate) {}

  const client::ConnectionOptions& server() const { return server_; }

  // The average time between two messages of an actor that writes this share of them all.
  Milliseconds between_messages(double share) const {
    return std::chrono::ceil<Milliseconds>(std::chrono::duration<double>(1 / (rate_ * share)));
  }

  // Waits, but not longer than until the demo closes.
  void rest(Milliseconds time);
  void close();
  bool is_closing() const { return is_closing_; }

  // The server has lost what the actors made: each makes its part again.
  void prepare_again() { ++preparation_; }
  unsigned preparation() const { return preparation_; }

  // Prints the sentence for the user, unless it was printed before.
  void tell(const std::string& sentence);

  void count_message() { ++messages_; }
  uint64_t messages() const { return messages_; }
  // Time since the demo has opened, the same for all actors.
  Milliseconds age() const {
    return std::chrono::duration_cast<Milliseconds>(std::chrono::steady_clock::now() - opened_);
  }

 private:
  const client::ConnectionOptions server_;
  const double rate_;
  const std::chrono::steady_clock::time_point opened_ = std::chrono::steady_clock::now();
  std::atomic<bool> is_closing_ = false;
  std::atomic<unsigned> preparation_ = 1;
  std::atomic<uint64_t> messages_ = 0;
  std::mutex lock_;
  std::condition_variable closes_;
  std::set<std::string> told_;
};

}  // namespace millrace::cli::demo
