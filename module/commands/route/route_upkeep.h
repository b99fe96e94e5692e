// What every command that changes a routing table begins and ends with: the table is made or
// brought up to the present, what has died is swept, and a table without anything goes.
#pragma once

#include <optional>

#include "engine/route/route_match.h"
#include "module/abi/context.h"
#include "module/host/route_type.h"

namespace millrace::module {

// Most devices and subscriptions that one command, or one turn of upkeep, gives back; fewer
// if that takes longer than a slice.
inline constexpr size_t kSweptPerTurn = 1000;

// The present for whoever only looks: never before the table's own time.
UnixMs present(const RouteTable& table);

// The matcher of this server: commands do not nest.
RouteMatcher& route_matcher();

// A table that a command is about to change.
class RouteVisit {
 public:
  // Failure: WrongType.
  static Result<RouteVisit> open(abi::Context context, abi::StringRef name);

  // Null if there is none. As it is, for whoever may yet refuse: its time has not moved.
  const RouteTable* untouched() { return key_.get(); }
  // Null if there is none. The time is the present.
  RouteTable* existing();
  // The same; one that does not exist is made.
  RouteTable& table();

  // The command has changed it: it passes on as it came, with `event` for who watches the key.
  void finish(const char* event);

 private:
  RouteVisit(abi::Context context, abi::StringRef name, RouteKey key)
      : context_(context), name_(name), key_(std::move(key)) {}

  // That is an effect, at most one a millisecond: who lives follows from it alone.
  void move_time();

  abi::Context context_;
  abi::StringRef name_;
  RouteKey key_;
};

// Sweeps, and has the agenda come back for what is left or will end; a table without
// anything goes, if this server decides.
void settle(abi::Context context, abi::StringRef name, RouteKey& key);

// Does what a table's dates demand: the agenda's part.
std::optional<UnixMs> look_after_route(abi::Context context, abi::StringRef name, UnixMs now);

}  // namespace millrace::module
