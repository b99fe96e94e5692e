// What a command does to the connection it goes through, beyond being answered once: some
// change what the commands behind them mean, and some cannot be loaded at all.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "client/connection.h"
#include "client/load/pipeline.h"

namespace millrace::client {

class CommandEffects {
 public:
  // `has_one_connection`: commands arrive in the order of the input. If not, those that mean
  // something for the next ones are refused, since nobody knows which those would be.
  // `allows_dangerous`: so are those of dangerous_command.h unless this is set.
  explicit CommandEffects(bool has_one_connection, bool allows_dangerous = false)
      : has_one_connection_(has_one_connection), allows_dangerous_(allows_dangerous) {}

  struct Effect {
    Pipeline::Role role;
    const char* refusal = nullptr;  // why it cannot be loaded, or nothing
    bool is_select = false;         // whether or not its word is a number
  };

  // The effect of the next command. REQUIRES: at least one word.
  Effect next(Words words);

  // The input goes on in another file, or ends. True if a transaction is open, which must be
  // abandoned then: in the other file it would swallow what has nothing to do with it.
  bool leaves_transaction() { return std::exchange(is_in_transaction_, false); }

 private:
  using Part = Pipeline::Part;

  Effect look_at(Words words);

  bool has_one_connection_;
  bool allows_dangerous_;
  bool is_in_transaction_ = false;
  std::string harmless_;  // the name of the last command that has no effect, whatever its words are
};

}  // namespace millrace::client
