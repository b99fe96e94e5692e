#include "module/host/fencing.h"

#include <algorithm>

#include "engine/lock/lock_codec.h"
#include "module/abi/context.h"
#include "module/host/role.h"

namespace millrace::module::fencing {

namespace {

constexpr uint64_t kDay = 24ULL * 60 * 60 * 1'000'000;  // in tokens

constinit Token greatest;

Token of_clock(UnixMs now) { return Token(now.value() * 1000); }

}  // namespace

Token next(UnixMs now) {
  greatest = std::max(greatest + 1, of_clock(now));
  return greatest;
}

Token last() { return greatest; }

void seen(Token token) { greatest = std::max(greatest, token); }

Token most_believed() {
  if (!server_decides) return kMaxToken;
  return std::max(greatest, std::min(of_clock(abi::now()) + kDay, kMaxToken));
}

}  // namespace millrace::module::fencing
