#include "client/lock/redlock.h"

#include <algorithm>
#include <random>

namespace millrace::client {
namespace {

using Clock = std::chrono::steady_clock;

// Short beside the lease, so that servers that do not answer cost little of it.
Milliseconds patience_for(Milliseconds ttl) { return std::clamp(ttl / 20, Milliseconds(5), Milliseconds(50)); }

// Nobody else has this name: who it is and when does not matter.
std::string unique_owner() {
  std::random_device random;
  std::string owner;
  for (int i = 0; i < 4; ++i) {
    for (uint32_t left = random(), digit = 0; digit < 8; ++digit, left >>= 4) owner += "0123456789abcdef"[left & 15];
  }
  return owner;
}

// Who tries again at the same moment as the others fails with them.
Milliseconds random_pause() {
  static std::minstd_rand random(std::random_device{}());
  return Milliseconds(std::uniform_int_distribution<int>(10, 60)(random));
}

}  // namespace

Redlock::Redlock(std::vector<ConnectionOptions> servers, std::string key, Milliseconds ttl)
    : name_{.key = std::move(key), .owner = unique_owner()}, ttl_(ttl) {
  for (ConnectionOptions& options : servers) {
    options.connect_timeout = options.answer_timeout = patience_for(ttl);
    servers_.emplace_back(std::move(options));
  }
}

std::optional<HeldLock> Redlock::held_by(const Quorum& quorum) const {
  if (!quorum.is_held(Clock::now())) return std::nullopt;
  return HeldLock{.valid_until = quorum.valid_until(), .token = token_, .servers = quorum.grants()};
}

// The five steps: the time; every server in turn; majority and time left; what remains
// valid; and everything given back if that is not enough.
Result<std::optional<HeldLock>> Redlock::try_once() {
  Quorum quorum(servers_.size(), ttl_, Clock::now());
  std::vector<LockServer*> granted;
  std::optional<Error> last_error;
  size_t silent = 0;
  for (LockServer& server : servers_) {
    if (quorum.is_hopeless()) break;
    const auto answer = server.acquire(name_, ttl_);
    if (!answer) {
      last_error = answer.error();
      ++silent;
    } else if (answer->granted) {
      quorum.granted(answer->token);
      granted.push_back(&server);
    } else {
      quorum.refused();
    }
  }
  token_ = quorum.token();
  const bool agreed = !quorum.has_majority() || !token_ || agree_on_token(granted, *token_);
  if (auto held = agreed ? held_by(quorum) : std::nullopt) return held;
  release();
  if (servers_.size() - silent < majority_of(servers_.size())) return std::unexpected(*last_error);
  return std::nullopt;
}

// Two majorities have a server in common. Once a majority has heard of this token, the next
// holder gets a greater one from that server, whatever the clocks of the others say.
bool Redlock::agree_on_token(const std::vector<LockServer*>& granted, uint64_t token) {
  const auto agrees = [&](LockServer* server) { return server->renew(name_, ttl_, token).value_or(false); };
  return static_cast<size_t>(std::ranges::count_if(granted, agrees)) >= majority_of(servers_.size());
}

Result<std::optional<HeldLock>> Redlock::acquire(Milliseconds wait, const Pause& pause) {
  const Moment deadline = Clock::now() + wait;
  while (true) {
    auto tried = try_once();
    if (tried && *tried) return tried;
    const auto left = std::chrono::ceil<Milliseconds>(deadline - Clock::now());
    if (left <= Milliseconds(0) || !pause(std::min(left, random_pause()))) return tried;
  }
}

Result<std::optional<HeldLock>> Redlock::renew() {
  Quorum quorum(servers_.size(), ttl_, Clock::now());
  std::vector<LockServer*> lost;
  std::optional<Error> last_error;
  for (LockServer& server : servers_) {
    const auto renewed = server.renew(name_, ttl_, token_);
    if (!renewed) {
      last_error = renewed.error();
    } else if (*renewed) {
      quorum.granted(std::nullopt);
    } else {
      quorum.refused();
      lost.push_back(&server);
    }
  }
  const auto held = held_by(quorum);
  // A server that was restarted empty can help again next time.
  if (held) {
    for (LockServer* server : lost) static_cast<void>(server->acquire(name_, ttl_));
  }
  if (!held && !quorum.is_hopeless() && last_error) return std::unexpected(*last_error);
  return held;
}

void Redlock::release() {
  for (LockServer& server : servers_) static_cast<void>(server.release(name_));
}

}  // namespace millrace::client
