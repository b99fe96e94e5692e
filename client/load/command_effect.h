// How a command affects its connection. Some commands change the meaning of the following ones, and some cannot be
// loaded at all.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "client/connection.h"
#include "client/load/pipeline.h"

namespace millrace::client {

class CommandEffects {
 public:
  // `has_one_connection`: commands arrive in the order of the input. Otherwise, commands that affect the following ones
  // are refused, because it is not defined which ones follow.
  // `allows_dangerous`: unless set, commands of dangerous_command.h are refused too.
  explicit CommandEffects(bool has_one_connection, bool allows_dangerous = false)
      : has_one_connection_(has_one_connection), allows_dangerous_(allows_dangerous) {}

  struct Effect {
    Pipeline::Role role;
    const char* refusal = nullptr;  // why it cannot be loaded, or null
    bool is_select = false;         // even if its argument is not a number
  };

  // The effect of the next command. REQUIRES: at least one word.
  Effect next(Words words);

  // Called when the input continues in another file, or ends. True if a transaction is open. It must then be abandoned:
  // otherwise it would include unrelated commands of the next file.
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
