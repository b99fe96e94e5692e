#include "client/cluster_map.h"

#include <algorithm>

namespace millrace::client {

Result<ClusterMap> ClusterMap::ask(Connection& server) {
  auto reply = server.call({"CLUSTER", "SLOTS"});
  if (!reply) return std::unexpected(reply.error());
  return from_reply(*reply, server.endpoint());
}

Result<ClusterMap> ClusterMap::from_reply(const Reply& reply, const Endpoint& server) {
  ClusterMap map;
  if (reply.is_error() && reply.text.find("cluster support disabled") != std::string::npos) return map;
  if (!reply.is_array()) {
    return fail(ErrorCode::Unreachable, server.text() + " does not tell its slots: " + reply.text);
  }
  size_t served = 0;
  for (const Reply& range : reply.items) {
    if (range.items.size() < 3 || range.items[2].items.size() < 2) continue;
    const Reply& node = range.items[2];
    Endpoint endpoint{node.items[0].text, static_cast<uint16_t>(node.items[1].integer)};
    // A node that does not know its own address has the host that we connected to.
    if (endpoint.host.empty() || endpoint.host == "?") endpoint.host = server.host;
    const auto number = static_cast<uint16_t>(map.node_number(endpoint));
    const int64_t first = std::max<int64_t>(range.items[0].integer, 0);
    const int64_t last = std::min<int64_t>(range.items[1].integer, kHashSlots - 1);
    for (int64_t slot = first; slot <= last; ++slot, ++served) map.owner_[static_cast<size_t>(slot)] = number;
  }
  if (served < kHashSlots) {
    return fail(ErrorCode::Unreachable, "the cluster of " + server.text() + " serves only " + std::to_string(served) +
                                            " of " + std::to_string(kHashSlots) + " slots");
  }
  return map;
}

size_t ClusterMap::node_number(const Endpoint& node) {
  const auto found = std::ranges::find(nodes_, node);
  const auto number = static_cast<size_t>(found - nodes_.begin());
  if (found == nodes_.end()) nodes_.push_back(node);
  return number;
}

Result<Endpoint> redirection_target(std::string_view error, const Endpoint& from) {
  const size_t space = error.rfind(' ');
  auto target = parse_endpoint(space == error.npos ? "" : error.substr(space + 1));
  // ":6381" would mean our default host, which need not be the node's.
  if (target && error[space + 1] == ':') target->host = from.host;
  return target;
}

}  // namespace millrace::client
