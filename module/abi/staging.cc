#include "module/abi/staging.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "module/abi/data_type.h"
#include "module/abi/registration.h"

namespace millrace::abi {

namespace {

constinit bool is_on = false;

// The last value that was loaded. On a writable replica a client may RESTORE a key of the data set in use, and the host
// loads its value in the same way as a staged one; but then it says so, or frees the value, before it loads another.
struct {
  std::atomic<const void*> value = nullptr;  // null: there is none. Freeing threads compare it with other values
  int database = 0;
  std::string name;
  Arrived arrived = nullptr;
} last;

void last_arrives_in(int database) {
  void* const value = const_cast<void*>(last.value.exchange(nullptr, std::memory_order_relaxed));
  if (value != nullptr) last.arrived(database, last.name, value);
}

void last_is_staged() { last_arrives_in(staged(last.database)); }

// Before Redis 7.4, every staged database has the number 0.
bool knows_databases() {
  static const bool knows = host.GetServerVersion() >= 0x00070400;
  return knows;
}

// The names of the keys that were loaded: only for a host that does not know their databases.
constinit std::vector<std::string> names;

// The databases with keys, the first one excepted.
std::vector<int> further_databases(Context context) {
  std::vector<int> found;
  for (int database = 1; host.SelectDb(context.handle(), database) == kOk; ++database) {
    if (host.DbSize(context.handle()) != 0) found.push_back(database);
  }
  return found;
}

// Keys of all databases have arrived in the first one: lets all arrive again, each where it is now. Takes half a
// microsecond for a key and database.
void arrive_where_they_are(Context context, std::vector<int> databases) {
  listener().loading(Loading::IsThrownAway);
  listener().loading(Loading::TakesOver);
  databases.push_back(0);
  // Two databases may have keys of the same name, and each must arrive once.
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const int database : databases) {
    context.select(database);
    for (const std::string& name : names) arrive_again(context, OwnedString(name));
  }
}

void on_staging(HostContext* handle, HostEvent, uint64_t subevent, void*) {
  const Context context(handle);
  if (subevent == kStagingStarted) {
    is_on = true;
    return listener().loading(Loading::BeginsAside);
  }
  const bool takes_over = subevent == kStagingCompleted;
  if (takes_over) {
    last_is_staged();
  } else {
    last.value = nullptr;
  }
  is_on = false;
  if (!takes_over) {
    listener().loading(Loading::IsThrownAway);
  } else if (const auto further = names.empty() ? std::vector<int>() : further_databases(context); !further.empty()) {
    arrive_where_they_are(context, further);
  } else {
    listener().loading(Loading::TakesOver);
  }
  names = {};
  if (takes_over) listener().databases_replaced();
}

}  // namespace

void value_loaded(int database, ByteView name, void* value, Arrived arrived) {
  if (!is_on) return arrived(database, name, value);
  last_is_staged();
  last.database = database;
  last.name = name;
  last.arrived = arrived;
  last.value = value;
  if (!knows_databases()) names.emplace_back(name);
}

void value_restored(Context context, StringRef name) {
  if (last.value != nullptr && last.database == context.database() && last.name == name.view()) {
    last_arrives_in(last.database);
  }
}

void value_freed(const void* value) {
  if (value == last.value.load(std::memory_order_relaxed)) last.value = nullptr;
}

bool is_staging() { return is_on; }

void watch_staging(HostContext* context) {
  static bool is_watching = false;
  if (!is_watching) is_watching = host.SubscribeToServerEvent(context, kEventStaging, on_staging) == kOk;
}

}  // namespace millrace::abi
