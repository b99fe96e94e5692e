// Fencing tokens. All tokens of a server come from one counter. So a free lock needs no memory, and still its next
// grant has a greater token than any before.
//
// A token is the time in microseconds, or the last token plus one if that is greater. The caller saves a mark that no
// token has passed, so that tokens also increase across a restart, whatever the clock does meanwhile. docs/why.md says
// what that guarantees.
//
// If a grant did not reach a replica before a failover, the new master has only the clock to choose a greater token. So
// tokens stay close to the clock: neither a restart nor a failover moves them more than kTokensAhead ahead of it.
#pragma once

#include <functional>
#include <utility>

#include "engine/base/strong.h"

namespace millrace {

// Tokens are made of microseconds since 1970; up to here a double represents them exactly.
inline constexpr Token kMaxToken{(uint64_t{1} << 53) - 1};

// A tenth of a second: how far a saved mark is ahead of its token, and how far the first token of a new master is ahead
// of the last token it has seen.
inline constexpr uint64_t kTokensAhead = 100'000;

class FencingTokens {
 public:
  // Called with a new mark before a token beyond the last mark is issued, at most once in kTokensAhead tokens. The
  // caller stores the mark persistently, and passes it to start_from() after a restart.
  using KeepMark = std::function<void(Token mark)>;

  FencingTokens() = default;
  explicit FencingTokens(KeepMark keep_mark) : keep_mark_(std::move(keep_mark)) {}

  // Every token from now on is greater than the saved mark.
  void start_from(Token mark);

  // Called when this server takes over from another one, which may have issued tokens that were not replicated. Every
  // token from now on is greater than those, if the other server made them from an equal clock, or by counting up from
  // the last replicated token.
  void take_over(UnixMs now);

  // The token of a new grant.
  Token next(UnixMs now);

  // The greatest token that was issued or seen; 0 if none.
  Token last() const { return greatest_; }
  void seen(Token token);

  // The greatest token that is accepted from an untrusted source: a RESTORE must not use up the range of tokens. A
  // token may be 50 years ahead of the clock: it may come from a server whose clock was wrong for a while, and other
  // servers must accept it afterwards. The range ends in the year 2255.
  Token most_believed(UnixMs now) const;

 private:
  void raise(Token token);

  Token greatest_;
  Token mark_;
  KeepMark keep_mark_;
};

}  // namespace millrace
