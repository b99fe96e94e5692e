// Which node of a cluster serves which slot, as the cluster itself says it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "client/connection.h"
#include "client/endpoint.h"
#include "engine/base/hash_slot.h"

namespace millrace::client {

class ClusterMap {
 public:
  // Asks a server. Without nodes: it is not part of a cluster. An error: it does not answer,
  // or a slot is served by nobody.
  static Result<ClusterMap> ask(Connection& server);

  // The same from an answer to CLUSTER SLOTS, which `server` gave.
  static Result<ClusterMap> from_reply(const Reply& reply, const Endpoint& server);

  bool is_cluster() const { return !nodes_.empty(); }
  const std::vector<Endpoint>& nodes() const { return nodes_; }

  // The position in nodes() of the node that serves the slot. REQUIRES: is_cluster().
  size_t node_of(uint16_t slot) const { return owner_[slot]; }

 private:
  size_t node_number(const Endpoint& node);

  std::vector<Endpoint> nodes_;
  std::array<uint16_t, kHashSlots> owner_{};
};

// Where a redirection sends a command: "MOVED 3999 127.0.0.1:6381", "ASK …". An address
// without a host is at the host we already talk to. BadInput: it is none.
Result<Endpoint> redirection_target(std::string_view error, const Endpoint& from);

}  // namespace millrace::client
