// Fencing tokens. All tokens of a server come from one number, so a lock that is free leaves nothing behind, and still
// its next grant has a greater token than any before.
//
// A token is the time in microseconds, or one more than the last if that is greater. The last one is saved beside the
// locks, and raised by every token that comes from elsewhere. docs/why.md says what that guarantees.
#pragma once

#include "engine/base/strong.h"

namespace millrace {

// Tokens are made of microseconds since 1970; up to here a double holds them exactly.
inline constexpr Token kMaxToken{(uint64_t{1} << 53) - 1};

class FencingTokens {
 public:
  // The token of a new grant.
  Token next(UnixMs now);

  // The greatest token that was made or seen; 0 if none.
  Token last() const { return greatest_; }
  void seen(Token token);

  // The greatest token to be accepted from a source that is not trusted: a RESTORE must not push the tokens to the end
  // of the numbers. Clocks may differ by a day.
  Token most_believed(UnixMs now) const;

 private:
  Token greatest_;
};

}  // namespace millrace
