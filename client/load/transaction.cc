#include "client/load/transaction.h"

#include <utility>

namespace millrace::client {
namespace {

// Errors for cases in which the server sends none.
constexpr std::string_view kNotEnded = "not carried out: its transaction has no EXEC in this file";
constexpr std::string_view kBroken = "not carried out: a SELECT in its transaction was refused";
constexpr std::string_view kChanged = "not carried out: a key that its transaction watches was changed";

std::string_view why_not(TransactionPart end, const ReplyReader::Verdict& verdict) {
  if (end == TransactionPart::Abandons) return kNotEnded;
  if (end == TransactionPart::GivesUp) return kBroken;
  if (end != TransactionPart::Executes) return {};
  if (verdict.is_null) return kChanged;
  return verdict.within.empty() ? verdict.error : std::string_view();
}

}  // namespace

TransactionOutcome::TransactionOutcome(TransactionPart end, const ReplyReader::Verdict& verdict)
    : end_(end), verdict_(verdict), why_not_(why_not(end, verdict)), errors_(verdict.within) {}

ReplyReader::Verdict TransactionOutcome::of_next(const ReplyReader::Verdict& answer) {
  const bool is_multi = std::exchange(is_at_multi_, false);
  if (answer.is_error) return answer;
  if (!why_not_.empty()) {
    const bool failed = !is_multi || end_ == TransactionPart::Abandons || end_ == TransactionPart::GivesUp;
    return failed ? ReplyReader::Verdict{.is_error = true, .error = why_not_} : answer;
  }
  // The items of the answer belong to the queued commands, in their order.
  if (is_multi || errors_.empty() || errors_.front().item != queued_++) return answer;
  const std::string_view error = errors_.front().error;
  errors_ = errors_.subspan(1);
  return {.is_error = true, .error = error};
}

ReplyReader::Verdict TransactionOutcome::of_end() const {
  if (end_ != TransactionPart::Executes) return verdict_;
  return {.is_error = !why_not_.empty(), .error = why_not_};
}

}  // namespace millrace::client
