// The connections of a load, and the choice of a connection for each command. In a cluster, it is one to the node that
// serves the command's key. Commands of one key always stay in order.
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

  // Asks whether the server is a cluster, and opens the connections. Unreachable: the server could not be reached
  // within this time.
  Result<void> open(Milliseconds connect_for);

  bool has_one_connection() const { return !map_.is_cluster() && connections_ == 1; }

  // The pipeline for this command. Error: the server could not be asked for the command's key.
  Result<Pipeline*> pipeline_for(Words words);

  // The pipeline to the node of a redirect; a new node gets connections.
  Pipeline& pipeline_at(const Endpoint& node, Words words);

  // Tests whether the server accepts a SELECT or MULTI, on a connection that is not used for the load. Returns its
  // error; nullopt if it accepts it or cannot be reached.
  std::optional<std::string> try_out(Words words);

  // Asks any node of the cluster again for the map of slots. False: none answers.
  bool refresh();
  bool is_cluster() const { return map_.is_cluster(); }
  // Whether a node still serves any slot, according to the current map.
  bool serves(const Endpoint& node) const;

  // All pipelines. A deque, so that references stay valid.
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
