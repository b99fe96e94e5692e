// A transaction in the input: the role of each command in it, and the results of its commands when it ended. The direct
// answers to these commands say only that they were queued.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "client/load/reply_reader.h"

namespace millrace::client {

enum class TransactionPart {
  None,      // outside of a transaction
  Begins,    // MULTI
  Inside,    // a command that waits for EXEC
  Executes,  // EXEC
  Discards,  // DISCARD
  Abandons,  // a DISCARD that we send because the input leaves a transaction open
  GivesUp,   // a DISCARD that we send because a SELECT in it was refused
};

class TransactionOutcome {
 public:
  // For a transaction that ended with the part `end`, whose answer was `verdict`. Borrows the verdict.
  TransactionOutcome(TransactionPart end, const ReplyReader::Verdict& verdict);

  // The result of its next command; MULTI is the first. `answer` is the direct answer to that command. Commands that
  // the user discards count as successful. Borrows both verdicts.
  ReplyReader::Verdict of_next(const ReplyReader::Verdict& answer);

  // The result of the end itself. An error in the answer of EXEC belongs to a command, unless nothing was carried out.
  ReplyReader::Verdict of_end() const;

  bool is_carried_out() const { return end_ == TransactionPart::Executes && why_not_.empty(); }

 private:
  TransactionPart end_;
  ReplyReader::Verdict verdict_;
  std::string_view why_not_;                        // why nothing was carried out, unless the user discarded it
  std::span<const ReplyReader::ItemError> errors_;  // errors that were not returned yet
  size_t queued_ = 0;
  bool is_at_multi_ = true;
};

}  // namespace millrace::client
