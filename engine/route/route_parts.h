// A whole routing table as parts (engine/base/parts.h): the strings of route_codec.h.
#pragma once

#include <utility>

#include "engine/base/parts.h"
#include "engine/route/route_effects.h"
#include "engine/route/route_table.h"

namespace millrace {

// Do not change: persisted.
enum class RoutePart : uint8_t { String };
inline constexpr PartKind kRouteParts[] = {{kRoutePart}};

void each_part(const RouteTable& table, const PartVisit& visit);

class RouteRestorer {
 public:
  explicit RouteRestorer(const HashKey& key) : table_(key) {}

  Result<void> add(uint8_t kind, ByteView bytes, Buffer block);
  // Version 1: the strings, then an empty one. Version 2: the parts, with filters as JSON.
  Result<void> add_older(const NextString& next);
  Result<RouteTable> finish() { return std::move(table_); }

 private:
  RouteTable table_;
};

}  // namespace millrace
