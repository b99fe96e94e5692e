#include "client/lock/redlock.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <random>

namespace millrace::client {
namespace {

using Clock = std::chrono::steady_clock;

// Short beside the lease: a round in which nobody answers takes a third of it at most, and
// a server among several that does not answer costs little. One alone is worth waiting for.
Milliseconds patience_for(Milliseconds ttl, size_t servers) {
  const Milliseconds most(servers == 1 ? 1000 : 50);
  return std::clamp(ttl / static_cast<int64_t>(6 * servers), Milliseconds(1), most);
}

// Nobody else has this name. It begins with who it is, for whoever asks LOCK.INFO.
std::string unique_owner() {
  char host[256] = "";
  gethostname(host, sizeof(host) - 1);
  std::string owner = std::string(host) + ':' + std::to_string(getpid()) + ':';
  std::random_device random;
  for (int i = 0; i < 2; ++i) {
    for (uint32_t left = random(), digit = 0; digit < 8; ++digit, left >>= 4) owner += "0123456789abcdef"[left & 15];
  }
  return owner;
}

// Who tries again at the same moment as the others fails with them.
Milliseconds random_pause() {
  static std::minstd_rand random(std::random_device{}());
  return Milliseconds(std::uniform_int_distribution<int>(10, 60)(random));
}

// False if `stop` is readable before the time is over.
bool sleep_through(Milliseconds time, int stop) {
  pollfd watched{stop, POLLIN, 0};
  poll(&watched, 1, static_cast<int>(time.count()));
  return watched.revents == 0;
}

}  // namespace

Redlock::Redlock(std::vector<ConnectionOptions> servers, std::string key, Milliseconds ttl)
    : name_{.key = std::move(key), .owner = unique_owner()}, ttl_(ttl), patience_(patience_for(ttl, servers.size())) {
  for (ConnectionOptions& options : servers) {
    options.connect_timeout = options.answer_timeout = patience_;
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
  std::optional<Error> trouble;
  size_t answered = 0;
  for (LockServer& server : servers_) {
    if (quorum.is_hopeless()) break;
    const auto answer = server.acquire(name_, ttl_);
    if (!answer) {
      trouble = answer.error();
      continue;
    }
    ++answered;
    if (!answer->granted) {
      quorum.refused();
      continue;
    }
    quorum.granted(answer->token);
    granted.push_back(&server);
  }
  token_ = quorum.token();
  const Result<bool> agreed = token_ ? agree_on_token(granted) : true;
  if (agreed.value_or(false)) {
    if (const auto held = held_by(quorum)) return held;
  }
  release();
  if (!agreed) return std::unexpected(agreed.error());
  if (answered < majority_of(servers_.size())) return std::unexpected(*trouble);
  return std::nullopt;
}

// Two majorities have a server in common. Once a majority has heard of this token, the next
// holder gets a greater one from that server, whatever the clocks of the others say.
Result<bool> Redlock::agree_on_token(const std::vector<LockServer*>& granted) {
  std::optional<Error> trouble;
  size_t agree = 0;
  for (LockServer* server : granted) {
    const auto renewed = server->renew(name_, ttl_, token_);
    if (!renewed) {
      trouble = renewed.error();
    } else if (*renewed) {
      ++agree;
    }
  }
  if (agree >= majority_of(servers_.size())) return true;
  if (trouble) return std::unexpected(*trouble);
  return false;
}

// When the grant was made, its answer does not tell. The renewal tells: it begins a lease of
// its own, not before it was sent.
Result<std::optional<HeldLock>> Redlock::wait_in_line(Moment deadline, int stop) {
  while (true) {
    const auto answer = servers_.front().acquire_in_line(name_, ttl_, deadline, stop);
    if (answer && !*answer) return try_once();
    if (answer && !(*answer)->granted) return std::nullopt;
    if (!answer) {
      release();
      return std::unexpected(answer.error());
    }
    token_ = (*answer)->token;
    auto held = renew();
    if (held && *held) return held;
    release();
    // Broken, or over, before we could look: there is a line to go back to.
    if (!held || Clock::now() >= deadline) return held;
  }
}

Result<std::optional<HeldLock>> Redlock::acquire(Milliseconds wait, int stop) {
  const Moment deadline = Clock::now() + wait;
  const bool may_have_line = servers_.size() == 1 && wait > Milliseconds(0);
  while (true) {
    auto tried = may_have_line ? wait_in_line(deadline, stop) : try_once();
    if (tried && *tried) return tried;
    // Who is sent away from a line has stood there as long as it wanted to.
    if (tried && may_have_line && servers_.front().has_line()) return tried;
    const auto left = std::chrono::ceil<Milliseconds>(deadline - Clock::now());
    if (left <= Milliseconds(0) || !sleep_through(std::min(left, random_pause()), stop)) return tried;
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
