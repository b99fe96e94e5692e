// How an actor reaches the server: its own connection, and its own random numbers.
#pragma once

#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "cli/demo/stage.h"
#include "client/key_connection.h"

namespace millrace::cli::demo {

using Words = std::vector<std::string>;
using client::Reply;

class Line {
 public:
  explicit Line(Stage& stage) : stage_(stage), server_(stage.server()) {}

  // Returns the answer. If the server does not answer, this is nil, and is_lost() is true. An unexpected error is
  // reported to the user.
  Reply ask(const Words& words);
  // The same for a command that the server may refuse for any reason: no error is reported.
  Reply try_to(const Words& words);
  // ask(), and counts the command as a message of the demo.
  Reply send(const Words& words);

  bool is_lost() const { return is_lost_; }
  void forget_loss() { is_lost_ = false; }
  // The first error that was reported; empty: none.
  const std::string& complaint() const { return complaint_; }

  Stage& stage() { return stage_; }

  // From `low` to `high`, both included.
  int number(int low, int high) { return std::uniform_int_distribution(low, high)(dice_); }
  // True once in `times` calls, on average.
  bool once_in(int times) { return number(1, times) == 1; }
  template <class List>
  const auto& one_of(const List& list) {
    return std::data(list)[number(0, static_cast<int>(std::size(list)) - 1)];
  }
  // Around the usual time, from half of it to one and a half.
  Milliseconds about(Milliseconds usual) { return usual * number(50, 150) / 100; }
  // The rest of an actor that writes this share of all messages.
  Milliseconds pause(double share) { return about(stage_.between_messages(share)); }

 private:
  Stage& stage_;
  client::KeyConnection server_;
  bool is_lost_ = false;
  std::string complaint_;
  std::mt19937 dice_{std::random_device{}()};
};

}  // namespace millrace::cli::demo
