// A transaction of the input: what a command is to it, and what became of its commands when
// it ended. Their own answers say only that they were queued.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "client/load/reply_reader.h"

namespace millrace::client {

enum class TransactionPart {
  None,      // outside of all
  Begins,    // MULTI
  Inside,    // it waits for EXEC
  Executes,  // EXEC
  Discards,  // DISCARD
  Abandons,  // a DISCARD of ours, where the input leaves one open
  GivesUp,   // a DISCARD of ours, because a SELECT in it was refused
};

class TransactionOutcome {
 public:
  // Of the transaction that this part ended, which was answered so. Borrows the verdict.
  TransactionOutcome(TransactionPart end, const ReplyReader::Verdict& verdict);

  // What became of its next command, MULTI being the first, which was answered so when it was
  // sent. What the user discards went well. Borrows both verdicts.
  ReplyReader::Verdict of_next(const ReplyReader::Verdict& answer);

  // What became of the end itself. An error in the answer of EXEC belongs to a command, unless
  // nothing was carried out.
  ReplyReader::Verdict of_end() const;

  bool is_carried_out() const { return end_ == TransactionPart::Executes && why_not_.empty(); }

 private:
  TransactionPart end_;
  ReplyReader::Verdict verdict_;
  std::string_view why_not_;                        // why nothing was carried out, if the user did not want that
  std::span<const ReplyReader::ItemError> errors_;  // those that are still to come
  size_t queued_ = 0;
  bool is_at_multi_ = true;
};

}  // namespace millrace::client
