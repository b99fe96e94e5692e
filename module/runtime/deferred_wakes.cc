#include "module/runtime/deferred_wakes.h"

#include <algorithm>
#include <string>
#include <utility>

#include "module/abi/clock.h"
#include "module/abi/timer.h"
#include "module/runtime/family.h"

namespace millrace::module {

namespace {

// The keys whose readers have not been served yet: the host reports for each client that a key is ready, but one visit
// is enough for all of them.
std::set<DatabaseKey> deferred_for_readers;

bool anybody_waits_for(const DatabaseKey& place) {
  return std::ranges::any_of(
      families(), [&](const Family& family) { return family.waiters != nullptr && family.waiters->wait_for(place); });
}

// `serve` is the member of Waiters that does it.
template <class Serve>
void serve_places(abi::Context context, const std::set<DatabaseKey>& places, Serve serve) {
  const int database = context.database();
  for (const DatabaseKey& place : places) {
    context.select(place.database);
    const abi::OwnedString name(place.name);
    // The slot has left with the key: its new node serves them, to which the host is about to redirect them.
    if (context.is_cluster() && anybody_waits_for(place) && context.is_slot_elsewhere(name)) continue;
    for (const Family& family : families()) {
      if (family.waiters == nullptr || family.waiters->*serve == nullptr) continue;
      if (family.waiters->wait_for(place)) (family.waiters->*serve)(context, place, name);
    }
  }
  context.select(database);
}

}  // namespace

void wake_later(const DatabaseKey& place) {
  if (!anybody_waits_for(place)) return;
  detail::deferred.insert(place);
  deferred_for_readers.insert(place);
}

void wake_soon(const DatabaseKey& place) {
  static std::set<DatabaseKey> places;
  static constinit abi::Timer timer([](abi::Context context) {
    for (const DatabaseKey& each : std::exchange(places, {})) wake_later(each);
    wake_deferred(context);
  });
  if (!anybody_waits_for(place)) return;
  places.insert(place);
  timer.set_at_latest(abi::now());
}

void detail::wake_all_deferred(abi::Context context) {
  if (context.in_transaction()) return;
  deferred_for_readers.clear();
  serve_places(context, std::exchange(deferred, {}), &Waiters::serve);
}

void wake_deferred_readers(abi::Context context) {
  // They stay deferred because of the others, which are served when the loop's turn ends.
  if (deferred_for_readers.empty() || context.in_transaction()) return;
  serve_places(context, std::exchange(deferred_for_readers, {}), &Waiters::serve_without_effects);
}

void start_waiters_afresh(int database, ByteView name) {
  if (waiting_clients == 0) return;
  const DatabaseKey place{database, std::string(name)};
  for (const Family& family : families()) {
    if (family.waiters != nullptr && family.waiters->wait_for(place)) family.waiters->start_afresh(place);
  }
}

void wake_all() {
  for (const Family& family : families()) {
    if (family.waiters == nullptr) continue;
    for (DatabaseKey& place : family.waiters->keys()) {
      deferred_for_readers.insert(place);
      detail::deferred.insert(std::move(place));
    }
  }
}

void wake_all_afresh() {
  for (const Family& family : families()) {
    if (family.waiters == nullptr) continue;
    for (const DatabaseKey& place : family.waiters->keys()) family.waiters->start_afresh(place);
  }
  wake_all();
}

}  // namespace millrace::module
