#include "engine/route/route_parts.h"

#include "engine/route/route_codec.h"

namespace millrace {

void each_part(const RouteTable& table, const PartVisit& visit) {
  encode_route_table(table, [&](ByteView string) { visit({number_of(RoutePart::String), string, {}}); });
}

Result<void> RouteRestorer::add(uint8_t, ByteView bytes, Buffer) { return restore_route_part(table_, bytes); }

Result<void> RouteRestorer::add_older(const NextString& next) {
  while (true) {
    const auto string = next();
    if (!string) return std::unexpected(string.error());
    ByteView bytes = string->view();
    if (bytes.empty() || bytes == kEndOfParts) return {};
    if (bytes.front() == number_of(RoutePart::String)) bytes.remove_prefix(1);
    if (auto added = add(number_of(RoutePart::String), bytes, {}); !added) return added;
  }
}

}  // namespace millrace
