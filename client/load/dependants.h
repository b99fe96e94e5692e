// A SELECT or a MULTI that the server refuses must not leave what depends on it to be executed
// in another database, or outside any transaction. So each is tried out, over another
// connection, before it is sent for the first time, and what depends on a refused one is left
// out:
//
//   SELECT 99        refused
//   SET a 1          left out, and so is everything up to the next SELECT that is accepted
//
//   MULTI            refused
//   SET a 1          left out
//   EXEC             left out; here it ends
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "client/load/command_effect.h"

namespace millrace::client {

class Dependants {
 public:
  // Tries out a SELECT or MULTI. The result is the server's error, or nothing: it is accepted,
  // or nobody knows.
  using Ask = std::function<std::optional<std::string>(Words words)>;
  // Where the command is that was judged last: "x.commands:17".
  using Place = std::function<std::string()>;

  Dependants(Ask ask, Place place) : ask_(std::move(ask)), place_(std::move(place)) {}

  struct Verdict {
    enum class Kind {
      Send,
      Refused,  // by the server, with `why`
      LeftOut,  // not to be sent, because of `why`
    };
    Kind kind = Kind::Send;
    std::string why = {};
    bool abandons = false;  // the transaction that is open at the server must be discarded
  };

  // What is to become of the next command, which has this effect.
  Verdict judge(Words words, const CommandEffects::Effect& effect);

  // The input goes on in another file, or ends: so does a transaction.
  void leave_file();

  // Whether the last command belongs to a transaction that was refused and goes on.
  bool is_in_refused_transaction() const { return !refused_transaction_.empty(); }

  // The database of a SELECT that was refused, as long as that holds; 2^32 - 1 for a word that
  // is no number.
  std::optional<unsigned> refused_database() const { return refused_database_; }

  // Another server may be there now, which accepts something else.
  void forget_what_is_accepted() {
    accepted_databases_.clear();
    is_multi_accepted_ = false;
  }

 private:
  Verdict judge_multi(Words words, const CommandEffects::Effect& effect);
  Verdict judge_select(Words words, const CommandEffects::Effect& effect);
  Verdict judge_end(const CommandEffects::Effect& effect);

  Ask ask_;
  Place place_;
  bool is_in_transaction_ = false;
  bool is_broken_ = false;           // a SELECT in this transaction was refused
  std::string refused_transaction_;  // "the MULTI at x.commands:17 was refused", if so
  std::string refused_selection_;    // the same of a SELECT
  std::optional<unsigned> refused_database_;
  std::set<unsigned> accepted_databases_;
  bool is_multi_accepted_ = false;
};

}  // namespace millrace::client
