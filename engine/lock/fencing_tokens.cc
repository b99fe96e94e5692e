#include "engine/lock/fencing_tokens.h"

#include <algorithm>

namespace millrace {

namespace {

constexpr uint64_t kYear = 365ULL * 24 * 3600 * 1'000'000;  // in tokens

Token of_clock(UnixMs now) { return Token(now.value() * 1000); }

}  // namespace

void FencingTokens::start_from(Token mark) {
  mark_ = std::max(mark_, mark);
  greatest_ = std::max(greatest_, mark);
}

void FencingTokens::raise(Token token) {
  greatest_ = token;
  if (token <= mark_) [[likely]] {
    return;
  }
  mark_ = std::min(token + kTokensAhead, kMaxToken);
  if (keep_mark_) keep_mark_(mark_);
}

void FencingTokens::take_over(UnixMs now) {
  greatest_ = std::min(std::max(greatest_, of_clock(now)) + kTokensAhead, kMaxToken);
}

Token FencingTokens::next(UnixMs now) {
  raise(std::max(greatest_ + 1, of_clock(now)));
  return greatest_;
}

void FencingTokens::seen(Token token) {
  if (token > greatest_) raise(token);
}

Token FencingTokens::most_believed(UnixMs now) const {
  return std::max(greatest_, std::min(of_clock(now) + 50 * kYear, kMaxToken));
}

}  // namespace millrace
