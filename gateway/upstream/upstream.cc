#include "gateway/upstream/upstream.h"

#include <algorithm>
#include <utility>

#include "engine/base/hash_slot.h"

namespace millrace::gateway {
namespace {

constexpr int kMostRedirections = 8;
constexpr Milliseconds kTick{500};
// A cluster is asked for its nodes after this many ticks, even without a redirect.
constexpr unsigned kTicksToMap = 20;
// A server may answer a command that waits this much later than the wait that was asked for.
constexpr Milliseconds kGrace{5000};

}  // namespace

struct Upstream::Command {
  Words words;
  size_t key;
  Link::Done done;
  std::optional<Milliseconds> wait = {};  // of a command that waits
  Waiting* waiting = nullptr;             // identifies a command that waits
  int redirections = 0;
  NodeName to = {};  // where a redirection has sent it
  bool asking = false;
  bool follows_redirections = true;
};

Upstream::Upstream(EventLoop& loop, Background& background, UpstreamOptions options)
    : loop_(loop), background_(background), options_(std::move(options)) {
  open_seed();
  tick_ = loop_.after(kTick, [this] { look_after(); });
}

Upstream::~Upstream() { loop_.cancel(tick_); }

void Upstream::open_seed() {
  seed_ = std::make_unique<Node>(
      loop_, background_, options_.server, [this](Node& node) { ask_for_map(node); }, [this] { refresh_map(); });
}

void Upstream::call(Words words, size_t key, Link::Done done) {
  send(std::make_shared<Command>(Command{std::move(words), key, std::move(done)}));
}

void Upstream::call_waiting(Words words, size_t key, Milliseconds wait, Waiting& waiting, Link::Done done) {
  if (!has_room_to_wait()) {
    done(client::fail(client::ErrorCode::TimedOut, "too many requests wait already"));
    return;
  }
  ++waiting_calls_;
  Link::Done counted = [this, done = std::move(done)](Answer answer) {
    --waiting_calls_;
    done(std::move(answer));
  };
  call_waiting(Command{.words = std::move(words), .key = key, .done = std::move(counted), .wait = wait}, waiting);
}

void Upstream::call_at(const NodeName& node, Words words, Link::Done done) {
  send(std::make_shared<Command>(Command{
      .words = std::move(words), .key = kNoKey, .done = std::move(done), .to = node, .follows_redirections = false}));
}

void Upstream::call_waiting_at(const NodeName& node, Words words, Milliseconds wait, Waiting& waiting,
                               Link::Done done) {
  call_waiting(Command{.words = std::move(words),
                       .key = kNoKey,
                       .done = std::move(done),
                       .wait = wait,
                       .to = node,
                       .follows_redirections = false},
               waiting);
}

void Upstream::call_waiting(Command command, Waiting& waiting) {
  command.waiting = &waiting;
  command.done = [&waiting, done = std::move(command.done)](Answer answer) {
    waiting.call.reset();
    done(std::move(answer));
  };
  send(std::make_shared<Command>(std::move(command)));
}

NodeName Upstream::node_name_of(const std::string& key) const {
  if (!map_) return {};
  return {map_->nodes()[map_->node_of(hash_slot(key))]};
}

std::vector<NodeName> Upstream::nodes() const {
  if (!map_) return {NodeName{}};
  std::vector<NodeName> names;
  for (const client::Endpoint& endpoint : map_->nodes()) names.push_back({endpoint});
  return names;
}

void Upstream::send(const std::shared_ptr<Command>& command) {
  Node& node = node_of(*command);
  auto done = [this, command, &node](Answer answer) { take_answer(command, node, std::move(answer)); };
  if (command->wait) {
    command->waiting->call = std::make_shared<WaitingCall>(loop_, std::move(done));
    // Keeps the call alive: it may be cancelled, and removed from `waiting`, while it starts.
    const auto call = command->waiting->call;
    call->start(node, command->words, *command->wait + kGrace, command->asking);
  } else if (command->asking) {
    node.send_after({"ASKING"}, command->words, std::move(done));
  } else {
    node.send(command->words, std::move(done));
  }
}

void Upstream::take_answer(const std::shared_ptr<Command>& command, Node& node, Answer answer) {
  if (answer && answer->is_error() && redirects(*command, node, *answer)) {
    send(command);
    return;
  }
  const auto done = std::move(command->done);
  done(std::move(answer));
}

// Whether the answer sends the command to another node. The command was not carried out in that case.
bool Upstream::redirects(Command& command, Node& node, const client::Reply& reply) {
  // This node is no longer the master: ask the sentinels, or the cluster, which node is.
  if (reply.is_error("READONLY")) {
    if (map_) {
      refresh_map();
    } else if (options_.server.sentinels) {
      loop_.later([&node] { node.reopen(); });
    }
    return false;
  }
  command.asking = reply.is_error("ASK");
  if (!command.asking && !reply.is_error("MOVED")) return false;
  if (!command.asking) refresh_map();
  if (!command.follows_redirections || ++command.redirections > kMostRedirections) return false;
  const auto target = client::redirection_target(reply.text, node.endpoint());
  if (!target) return false;
  command.to = {*target};
  return true;
}

void Upstream::ask_for_map(Node& node) {
  if (asks_for_map_) return;
  asks_for_map_ = true;
  node.send({"CLUSTER", "SLOTS"}, [this, endpoint = node.endpoint()](const Answer& answer) {
    asks_for_map_ = false;
    if (!answer) return;
    auto map = client::ClusterMap::from_reply(*answer, endpoint);
    // An incomplete map, as during a failover, is ignored: the next redirection asks for it again.
    if (map && map->is_cluster()) map_ = std::move(*map);
  });
}

// Asks nodes with an open connection, one after the other: a node that has left the cluster does not know the map.
void Upstream::refresh_map() {
  if (!map_) return;
  std::vector<Node*> open;
  if (seed_ && seed_->is_open()) open.push_back(seed_.get());
  for (const auto& [endpoint, node] : nodes_) {
    if (node->is_open()) open.push_back(node.get());
  }
  if (!open.empty()) ask_for_map(*open[asked_++ % open.size()]);
}

bool Upstream::is_named(const client::Endpoint& endpoint) const {
  return std::ranges::find(map_->nodes(), endpoint) != map_->nodes().end();
}

// One that serves slots; null if none is connected. REQUIRES: a cluster.
Node* Upstream::connected_node() {
  const auto serves = [this](const auto& one) { return one.second->is_open() && is_named(one.first); };
  const auto found = std::ranges::find_if(nodes_, serves);
  return found == nodes_.end() ? nullptr : found->second.get();
}

// Drops nodes that no longer serve a slot. Also drops the configured server, as long as there is another connection to
// the cluster.
void Upstream::forget_nodes() {
  if (!map_) return;
  std::erase_if(nodes_, [this](const auto& one) { return one.second->is_unused() && !is_named(one.first); });
  const bool is_connected = connected_node() != nullptr;
  if (!seed_) {
    if (!is_connected) open_seed();
  } else if (!is_named(options_.server.to)) {
    if (is_connected && seed_->is_unused()) seed_.reset();
    if (!is_connected) node_at(map_->nodes()[asked_++ % map_->nodes().size()]);
  }
}

Node& Upstream::node_of(const Command& command) {
  if (command.to.endpoint) return node_at(*command.to.endpoint);
  if (!map_) return *seed_;
  if (command.key == kNoKey) {
    // Not the configured server, if there is a choice: it may have left the cluster.
    if (Node* const node = connected_node()) return *node;
    return seed_ ? *seed_ : node_at(map_->nodes().front());
  }
  return node_at(map_->nodes()[map_->node_of(hash_slot(command.words[command.key]))]);
}

Node& Upstream::node_at(const client::Endpoint& endpoint) {
  auto& node = nodes_[endpoint];
  if (!node) {
    client::ConnectionOptions server = options_.server;
    server.to = endpoint;
    server.sentinels.reset();
    node = std::make_unique<Node>(
        loop_, background_, std::move(server), [](Node&) {}, [this] { refresh_map(); });
  }
  return *node;
}

bool Upstream::is_reachable() const {
  if (seed_ && seed_->is_open()) return true;
  return std::ranges::any_of(nodes_, [](const auto& one) { return one.second->is_open(); });
}

void Upstream::look_after() {
  forget_nodes();
  if (seed_) seed_->close_silent(options_.answer_timeout);
  bool is_whole = true;
  for (const auto& [endpoint, node] : nodes_) {
    node->close_silent(options_.answer_timeout);
    is_whole = is_whole && node->is_open();
  }
  // If a node is gone, another one takes over its slots; the map shows when. A node may also leave without a word.
  if (!is_whole || ++ticks_ % kTicksToMap == 0) refresh_map();
  tick_ = loop_.after(kTick, [this] { look_after(); });
}

}  // namespace millrace::gateway
