// The connections of a load, and which of them a command goes through: in a cluster to the
// node that serves its key, and always so that the commands of one key stay in order.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "client/cluster_map.h"
#include "client/load/key_finder.h"
#include "client/load/pipeline.h"

namespace millrace::client {

class Router {
 public:
  // `connections`: how many to each node.
  Router(ConnectionOptions server, const PipelineLimits& limits, unsigned connections);

  // Asks whether it is a cluster, and opens the connections. Unreachable: it cannot be
  // reached for so long.
  Result<void> open(Milliseconds connect_for);

  bool has_one_connection() const { return !map_.is_cluster() && connections_ == 1; }

  // The pipeline for this command. An error: the server cannot be asked where its key is.
  Result<Pipeline*> pipeline_for(Words words);

  // The pipeline to a node that a redirection names; a node that is new gets connections.
  Pipeline& pipeline_at(const Endpoint& node, Words words);

  // Whether the server accepts a SELECT or MULTI from us, tried out on a connection that loads
  // nothing. The result is its error; nothing if it accepts it, or cannot be asked.
  std::optional<std::string> try_out(Words words);

  // Asks any node of the cluster again which node serves what. False: none does.
  bool refresh();
  bool is_cluster() const { return map_.is_cluster(); }
  // Whether a node still serves something, as far as we know.
  bool serves(const Endpoint& node) const;

  // All of them. A deque: they stay where they are.
  std::deque<Pipeline>& pipelines() { return pipelines_; }

 private:
  struct Node {
    Endpoint endpoint;
    std::vector<Pipeline*> lanes;
  };

  Node& node_at(const Endpoint& endpoint);
  ConnectionOptions options_for(const Endpoint& endpoint) const;
  void connect_map();
  Result<std::optional<uint16_t>> slot_of(Words words);

  ConnectionOptions server_;
  PipelineLimits limits_;
  unsigned connections_;
  Connection control_;
  KeyFinder keys_;
  ClusterMap map_;
  std::deque<Pipeline> pipelines_;
  std::deque<Node> nodes_;
  std::vector<Node*> owners_;  // in the order of map_.nodes()
};

}  // namespace millrace::client
