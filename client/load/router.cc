#include "client/load/router.h"

#include <algorithm>
#include <utility>

#include "engine/base/hash_slot.h"

namespace millrace::client {

Router::Router(ConnectionOptions server, const PipelineLimits& limits, unsigned connections)
    : server_(std::move(server)), limits_(limits), connections_(connections), control_(server_), keys_(control_) {}

Result<void> Router::open(Milliseconds connect_for) {
  if (auto opened = control_.open_within(connect_for); !opened) return opened;
  auto map = ClusterMap::ask(control_);
  if (!map) return std::unexpected(map.error());
  map_ = std::move(*map);
  connect_map();
  for (Pipeline& pipeline : pipelines_) {
    if (auto opened = pipeline.open(); !opened) return opened;
  }
  return {};
}

Result<Pipeline*> Router::pipeline_for(Words words) {
  if (has_one_connection()) return &pipelines_.front();
  const auto slot = slot_of(words);
  if (!slot) return std::unexpected(slot.error());
  // A command without a key may go to any node; such commands always take the same connection, so that they stay in
  // order.
  const Node& node = map_.is_cluster() && *slot ? *owners_[map_.node_of(**slot)] : nodes_.front();
  return node.lanes[slot->value_or(0) % node.lanes.size()];
}

Pipeline& Router::pipeline_at(const Endpoint& endpoint, Words words) {
  const Node& node = node_at(endpoint);
  const auto slot = slot_of(words);
  return *node.lanes[(slot ? slot->value_or(0) : 0) % node.lanes.size()];
}

Result<std::optional<uint16_t>> Router::slot_of(Words words) {
  auto key = keys_.first_key(words);
  // The node that was asked so far may be the one that is gone.
  if (!key && map_.is_cluster() && refresh()) key = keys_.first_key(words);
  if (!key) return std::unexpected(key.error());
  if (!*key) return std::nullopt;
  return hash_slot(**key);
}

std::optional<std::string> Router::try_out(Words words) {
  // A connection that was not used for long may have been closed.
  auto reply = control_.call(words);
  if (!reply) reply = control_.call(words);
  if (!reply) return std::nullopt;
  if (reply->is_error()) return reply->text;
  // A new connection has the state from before the test.
  control_.close();
  return std::nullopt;
}

bool Router::refresh() {
  std::vector<Endpoint> asked = map_.nodes();
  asked.push_back(server_.to);
  for (const Endpoint& endpoint : asked) {
    ConnectionOptions there = options_for(endpoint);
    there.connect_timeout = there.answer_timeout = Milliseconds(1000);
    Connection connection(there);
    auto map = ClusterMap::ask(connection);
    if (!map || !map->is_cluster()) continue;
    map_ = std::move(*map);
    control_ = std::move(connection);
    connect_map();
    return true;
  }
  return false;
}

bool Router::serves(const Endpoint& node) const {
  return !map_.is_cluster() || std::ranges::find(map_.nodes(), node) != map_.nodes().end();
}

void Router::connect_map() {
  owners_.clear();
  if (!map_.is_cluster()) node_at(server_.to);
  for (const Endpoint& endpoint : map_.nodes()) owners_.push_back(&node_at(endpoint));
}

// Sentinels watch a single master, so there is no cluster.
ConnectionOptions Router::options_for(const Endpoint& endpoint) const {
  ConnectionOptions there = server_;
  if (endpoint != server_.to) there.sentinels.reset();
  there.to = endpoint;
  return there;
}

// New pipelines are not open yet: they open themselves when they first receive.
Router::Node& Router::node_at(const Endpoint& endpoint) {
  const auto found = std::ranges::find(nodes_, endpoint, &Node::endpoint);
  if (found != nodes_.end()) return *found;
  Node& node = nodes_.emplace_back(Node{endpoint, {}});
  const ConnectionOptions there = options_for(endpoint);
  for (unsigned i = 0; i < connections_; ++i) node.lanes.push_back(&pipelines_.emplace_back(there, limits_));
  return node;
}

}  // namespace millrace::client
