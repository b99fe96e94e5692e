// If the server refuses a SELECT or a MULTI, the commands that depend on it must not run in another database, or
// outside of a transaction. So each SELECT and MULTI is tested over another connection before it is first sent, and
// commands that depend on a refused one are left out:
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
  // Tests a SELECT or MULTI. Returns the server's error; nullopt: accepted, or not known.
  using Ask = std::function<std::optional<std::string>(Words words)>;
  // The place of the last command in the input: "x.commands:17".
  using Place = std::function<std::string()>;

  Dependants(Ask ask, Place place) : ask_(std::move(ask)), place_(std::move(place)) {}

  struct Verdict {
    enum class Kind {
      Send,
      Refused,  // the server refuses it, because of `why`
      LeftOut,  // not to be sent, because of `why`
    };
    Kind kind = Kind::Send;
    std::string why = {};
    bool abandons = false;  // the transaction that is open at the server must be discarded
  };

  // Decides what to do with the next command, which has this effect.
  Verdict judge(Words words, const CommandEffects::Effect& effect);

  // The input continues in another file, or ends; that also ends a transaction.
  void leave_file();

  // Whether the last command belongs to a refused transaction that has not ended yet.
  bool is_in_refused_transaction() const { return !refused_transaction_.empty(); }

  // The database of a refused SELECT, while it is in effect; 2^32 - 1 if its argument is not a number.
  std::optional<unsigned> refused_database() const { return refused_database_; }

  // There may be another server now, which accepts other commands.
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
  std::string refused_transaction_;  // "the MULTI at x.commands:17 was refused", if it was
  std::string refused_selection_;    // the same for a SELECT
  std::optional<unsigned> refused_database_;
  std::set<unsigned> accepted_databases_;
  bool is_multi_accepted_ = false;
};

}  // namespace millrace::client
