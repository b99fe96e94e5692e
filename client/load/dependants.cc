#include "client/load/dependants.h"

#include <limits>
#include <utility>

namespace millrace::client {
namespace {

using Judgement = Dependants::Verdict;

Judgement left_out(const std::string& why) { return {Judgement::Kind::LeftOut, why}; }

}  // namespace

Dependants::Verdict Dependants::judge(Words words, const CommandEffects::Effect& effect) {
  using Part = Pipeline::Part;
  const Part part = effect.role.part;
  if (part == Part::Begins && !is_in_transaction_) return judge_multi(words, effect);
  if (!refused_transaction_.empty()) {
    Verdict verdict = left_out("not sent: " + refused_transaction_);
    if (part == Part::Executes || part == Part::Discards) leave_file();
    return verdict;
  }
  if (effect.is_select) return judge_select(words, effect);
  if (part == Part::Executes || part == Part::Discards) return judge_end(effect);
  if (effect.refusal != nullptr) return left_out(effect.refusal);
  if (!refused_selection_.empty()) return left_out("not sent: " + refused_selection_);
  return {};
}

Dependants::Verdict Dependants::judge_multi(Words words, const CommandEffects::Effect& effect) {
  is_in_transaction_ = true;
  Verdict verdict;
  if (effect.refusal != nullptr) {
    verdict = left_out(effect.refusal);
  } else if (!refused_selection_.empty()) {
    verdict = left_out("not sent: " + refused_selection_);
  } else if (!is_multi_accepted_) {
    const auto error = ask_(words);
    if (error) verdict = {Verdict::Kind::Refused, *error};
    is_multi_accepted_ = !error;
  }
  if (verdict.kind != Verdict::Kind::Send) refused_transaction_ = "the MULTI at " + place_() + " was refused";
  return verdict;
}

Dependants::Verdict Dependants::judge_select(Words words, const CommandEffects::Effect& effect) {
  const std::optional<unsigned> database = effect.role.selects;
  Verdict verdict;
  if (effect.refusal != nullptr) {
    verdict = left_out(effect.refusal);
  } else if (!database || !accepted_databases_.contains(*database)) {
    if (const auto error = ask_(words)) verdict = {Verdict::Kind::Refused, *error};
  }
  if (verdict.kind == Verdict::Kind::Send) {
    if (database) accepted_databases_.insert(*database);
    // A later SELECT does not repair a transaction in which commands are missing.
    if (is_broken_) return left_out("not sent: " + refused_selection_);
    refused_selection_.clear();
    refused_database_.reset();
    return verdict;
  }
  refused_selection_ = "the SELECT at " + place_() + " was refused";
  refused_database_ = database.value_or(std::numeric_limits<unsigned>::max());
  is_broken_ = is_in_transaction_;
  return verdict;
}

// EXEC or DISCARD. A transaction in which a SELECT was refused is not executed in part.
Dependants::Verdict Dependants::judge_end(const CommandEffects::Effect& effect) {
  is_in_transaction_ = false;
  if (effect.refusal != nullptr) return left_out(effect.refusal);
  if (!std::exchange(is_broken_, false)) return {};
  Verdict verdict = left_out("not sent: " + refused_selection_);
  verdict.abandons = true;
  return verdict;
}

void Dependants::leave_file() {
  is_in_transaction_ = false;
  is_broken_ = false;
  refused_transaction_.clear();
}

}  // namespace millrace::client
