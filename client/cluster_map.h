// Which node of a cluster serves which slot, according to the cluster itself.
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
  // Asks a server. A map without nodes: the server is not part of a cluster. Error: it does not answer, or a slot has
  // no node.
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

// The target of a redirect: "MOVED 3999 127.0.0.1:6381", "ASK …". An address without a host means the current host.
// BadInput: not a redirect.
Result<Endpoint> redirection_target(std::string_view error, const Endpoint& from);

}  // namespace millrace::client
