#include "module/lock/lock_alive.h"

#include <strings.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "module/abi/clock.h"
#include "module/abi/context.h"
#include "module/abi/timer.h"
#include "module/lock/lock_upkeep.h"
#include "module/runtime/role.h"

namespace millrace::module {

namespace {

struct Expected {
  DatabaseKey key;
  LostGrant grant;
  uint64_t client;
  MonotonicMs until;
};

std::vector<Expected> expected;

// A client whose last command is the one that was granted has sent none since. One that has gone sends none.
bool is_taken_up(const Expected& one) {
  const std::string last = abi::Context::last_command_of(one.client);
  return !last.empty() && strcasecmp(last.c_str(), "LOCK.ACQUIRE") != 0;
}

void look_at_all(abi::Context context);

constinit abi::Timer timer(look_at_all);

void set_timer(MonotonicMs now) {
  if (expected.empty()) return;
  const auto next = std::ranges::min(expected, {}, &Expected::until).until;
  timer.set_at_latest(abi::now() + (next > now ? next - now : 0) + 1);
}

void look_at_all(abi::Context) {
  const MonotonicMs now = abi::monotonic_now();
  // What another server decides by now is its own.
  if (!may_decide) expected.clear();
  std::erase_if(expected, [&](Expected& one) {
    if (one.until >= now) return false;
    if (!is_taken_up(one)) take_back_soon(one.key, std::move(one.grant));
    return true;
  });
  set_timer(now);
}

}  // namespace

void expect_sign_of_life(const DatabaseKey& key, LostGrant grant, uint64_t client, uint64_t alive_ms) {
  const MonotonicMs now = abi::monotonic_now();
  expected.push_back({key, std::move(grant), client, now + alive_ms});
  set_timer(now);
}

void has_sent_acquire(uint64_t client) {
  std::erase_if(expected, [&](const Expected& one) { return one.client == client; });
}

bool are_signs_of_life_expected() { return !expected.empty(); }

}  // namespace millrace::module
