// Fencing tokens. All tokens of a server come from one number, so a lock that is free leaves nothing behind, and still
// its next grant has a greater token than any before.
//
// A token is the time in microseconds, or one more than the last if that is greater. So that tokens rise over a restart
// whatever the clock does meanwhile, the caller keeps a mark that no token has passed. docs/why.md says what that
// guarantees.
//
// Of a grant that no replica has heard of, the clock is all that a new master has to go by. So tokens stay close to the
// clock: neither a restart nor a failover takes them further than kTokensAhead from it.
#pragma once

#include <functional>
#include <utility>

#include "engine/base/strong.h"

namespace millrace {

// Tokens are made of microseconds since 1970; up to here a double holds them exactly.
inline constexpr Token kMaxToken{(uint64_t{1} << 53) - 1};

// A tenth of a second: how far a mark is ahead of the token it is kept for, and the first token of a new master ahead
// of what it knows.
inline constexpr uint64_t kTokensAhead = 100'000;

class FencingTokens {
 public:
  // Called with a new mark before a token beyond the last one is given out, at most once in kTokensAhead tokens. The
  // caller keeps it where it outlives the process, and gives it to start_from() the next time.
  using KeepMark = std::function<void(Token mark)>;

  FencingTokens() = default;
  explicit FencingTokens(KeepMark keep_mark) : keep_mark_(std::move(keep_mark)) {}

  // Every token from now on is greater than the mark that was kept.
  void start_from(Token mark);

  // Another server may have given tokens until now that were not heard of here. Every token from now on is greater than
  // those, if they were made by the same clock up to this moment, or counted on from the last one that was heard of.
  void take_over(UnixMs now);

  // The token of a new grant.
  Token next(UnixMs now);

  // The greatest token that was made or seen; 0 if none.
  Token last() const { return greatest_; }
  void seen(Token token);

  // The greatest token to be accepted from a source that is not trusted: a RESTORE must not push the tokens to the end
  // of the numbers. A token may be 50 years ahead of the clock: if it was made by a server whose clock was wrong for a
  // while, the servers that lock together with it must accept it after that. Beyond 2076 there are as many again.
  Token most_believed(UnixMs now) const;

 private:
  void raise(Token token);

  Token greatest_;
  Token mark_;
  KeepMark keep_mark_;
};

}  // namespace millrace
