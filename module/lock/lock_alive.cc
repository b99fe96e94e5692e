#include "module/lock/lock_alive.h"

#include <strings.h>

#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "module/abi/clock.h"
#include "module/abi/context.h"
#include "module/abi/disconnection.h"
#include "module/abi/timer.h"
#include "module/lock/lock_upkeep.h"
#include "module/runtime/role.h"

namespace millrace::module {

namespace {

struct Expected {
  DatabaseKey key;
  LostGrant grant;
  MonotonicMs until;
};

// By client id. A client has one entry at most: its request for a second lock is a command, which confirms the first
// grant.
std::unordered_map<uint64_t, Expected> expected;
std::set<std::pair<MonotonicMs, uint64_t>> by_date;  // with the client

void forget(std::unordered_map<uint64_t, Expected>::iterator found) {
  by_date.erase({found->second.until, found->first});
  expected.erase(found);
}

// True if the client has sent a command since the grant. If its last command is still the LOCK.ACQUIRE that was
// granted, or if it is disconnected, it has not.
bool is_taken_up(uint64_t client) {
  const std::string last = abi::Context::last_command_of(client);
  return !last.empty() && strcasecmp(last.c_str(), "LOCK.ACQUIRE") != 0;
}

void look_at_all(abi::Context context);

constinit abi::Timer timer(look_at_all);

void set_timer(MonotonicMs now) {
  if (by_date.empty()) return;
  const MonotonicMs next = by_date.begin()->first;
  timer.set_at_latest(abi::now() + (next > now ? next - now : 0) + 1);
}

void look_at_all(abi::Context) {
  const MonotonicMs now = abi::monotonic_now();
  // This server no longer decides about locks, so it drops the grants that it watched.
  if (!may_decide) {
    expected.clear();
    by_date.clear();
  }
  while (!by_date.empty() && by_date.begin()->first < now) {
    const auto found = expected.find(by_date.begin()->second);
    if (!is_taken_up(found->first)) take_back_soon(found->second.key, std::move(found->second.grant));
    forget(found);
  }
  set_timer(now);
}

// The last command of a client is known only while it is connected, so it is checked now. A client that has sent none
// can no longer confirm the grant.
void on_disconnection(uint64_t client) {
  const auto found = expected.find(client);
  if (found == expected.end()) return;
  if (may_decide && !is_taken_up(client)) take_back_soon(found->second.key, std::move(found->second.grant));
  forget(found);
}

}  // namespace

void expect_sign_of_life(const DatabaseKey& key, LostGrant grant, uint64_t client, uint64_t alive_ms) {
  abi::watch_disconnections(on_disconnection);
  expect_no_sign_of_life(client);
  const MonotonicMs now = abi::monotonic_now();
  expected.emplace(client, Expected{key, std::move(grant), now + alive_ms});
  by_date.emplace(now + alive_ms, client);
  set_timer(now);
}

void expect_no_sign_of_life(uint64_t client) {
  if (const auto found = expected.find(client); found != expected.end()) forget(found);
}

bool are_signs_of_life_expected() { return !expected.empty(); }

}  // namespace millrace::module
