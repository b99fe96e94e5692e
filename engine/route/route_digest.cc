#include "engine/route/route_digest.h"

#include "engine/route/route_codec.h"

namespace millrace {

void digest(const RouteTable& table, DigestSink& sink) {
  sink.number(table.clock().value());
  for (const std::string& fact : route_facts(table)) sink.bytes(fact);
}

}  // namespace millrace
