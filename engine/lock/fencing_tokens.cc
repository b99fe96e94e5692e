#include "engine/lock/fencing_tokens.h"

#include <algorithm>

namespace millrace {

namespace {

constexpr uint64_t kDay = 24ULL * 60 * 60 * 1'000'000;  // in tokens

Token of_clock(UnixMs now) { return Token(now.value() * 1000); }

}  // namespace

Token FencingTokens::next(UnixMs now) {
  greatest_ = std::max(greatest_ + 1, of_clock(now));
  return greatest_;
}

void FencingTokens::seen(Token token) { greatest_ = std::max(greatest_, token); }

Token FencingTokens::most_believed(UnixMs now) const {
  return std::max(greatest_, std::min(of_clock(now) + kDay, kMaxToken));
}

}  // namespace millrace
