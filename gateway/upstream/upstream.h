// The server or cluster behind the gateway, for one event loop: one connection for commands to each node, and separate
// connections for commands that wait.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "client/cluster_map.h"
#include "gateway/loop/task.h"
#include "gateway/upstream/node.h"
#include "gateway/upstream/waiting_call.h"

namespace millrace::gateway {

struct UpstreamOptions {
  client::ConnectionOptions server;
  size_t most_waiting = 1000;         // the most commands that wait at the same time
  Milliseconds answer_timeout{5000};  // how long a command that does not wait may take
};

// A node of a cluster. Without an endpoint: the configured server, wherever sentinels find it.
struct NodeName {
  std::optional<client::Endpoint> endpoint = {};
  auto operator<=>(const NodeName&) const = default;
};

class Upstream {
 public:
  static constexpr size_t kNoKey = 0;

  Upstream(EventLoop& loop, Background& background, UpstreamOptions options);
  ~Upstream();
  Upstream(const Upstream&) = delete;
  Upstream& operator=(const Upstream&) = delete;

  // Sends a command; `key` says which word is its key, kNoKey that it has none. Error: the server cannot be reached, or
  // the connection broke before the answer came; then the command may have been carried out.
  void call(Words words, size_t key, Link::Done done);

  // The same for a coroutine.
  auto ask(Words words, size_t key = 1) {
    return told<Answer>([this, words = std::move(words), key](Link::Done done) mutable {
      call(std::move(words), key, std::move(done));
    });
  }

  // A command that waits at the server. With `cancel`, `done` gets Closed at once, but the server may still serve the
  // command. With `give_up`, `done` is called when the server has ended it: everything that the server took for it is
  // then in the answer.
  struct Waiting {
    std::shared_ptr<WaitingCall> call = {};
    void cancel() const {
      if (call) call->cancel();
    }
    void give_up() const {
      if (const auto kept = call) kept->give_up();
    }
  };
  // Sends a command that waits at most this long at the server. `waiting` identifies it until it is done, and must
  // exist as long. TimedOut: the limit on waiting commands is reached.
  void call_waiting(Words words, size_t key, Milliseconds wait, Waiting& waiting, Link::Done done);

  // The same for a coroutine.
  auto ask_waiting(Words words, Milliseconds wait, Waiting& waiting, size_t key = 1) {
    return told<Answer>([this, words = std::move(words), key, wait, &waiting](Link::Done done) mutable {
      call_waiting(std::move(words), key, wait, waiting, std::move(done));
    });
  }

  // The same for one node, without following redirects: MOVED is returned as an answer, and updates node_name_of(). It
  // does not count towards the limit on waiting commands of clients.
  void call_at(const NodeName& node, Words words, Link::Done done);
  void call_waiting_at(const NodeName& node, Words words, Milliseconds wait, Waiting& waiting, Link::Done done);
  auto ask_at(NodeName node, Words words) {
    return told<Answer>([this, node = std::move(node), words = std::move(words)](Link::Done done) mutable {
      call_at(node, std::move(words), std::move(done));
    });
  }
  NodeName node_name_of(const std::string& key) const;
  // The masters of a cluster, as far as they are known; else the one server.
  std::vector<NodeName> nodes() const;
  bool is_cluster() const { return map_.has_value(); }
  bool has_sentinels() const { return options_.server.sentinels.has_value(); }
  // The address of the configured server, or the one that sentinels named last.
  std::string seed_address() const { return (seed_ ? seed_->endpoint() : options_.server.to).text(); }

  // Whether a node is connected.
  bool is_reachable() const;
  size_t waiting_calls() const { return waiting_calls_; }
  // Whether call_waiting() would accept one more.
  bool has_room_to_wait() const { return waiting_calls_ < options_.most_waiting; }

 private:
  struct Command;

  void open_seed();
  void call_waiting(Command command, Waiting& waiting);
  void send(const std::shared_ptr<Command>& command);
  void take_answer(const std::shared_ptr<Command>& command, Node& node, Answer answer);
  bool redirects(Command& command, Node& node, const client::Reply& reply);
  void ask_for_map(Node& node);
  void refresh_map();
  Node* connected_node();
  bool is_named(const client::Endpoint& endpoint) const;
  void forget_nodes();
  Node& node_of(const Command& command);
  Node& node_at(const client::Endpoint& endpoint);
  void look_after();

  EventLoop& loop_;
  Background& background_;
  UpstreamOptions options_;
  std::optional<client::ClusterMap> map_;                    // of a cluster
  std::map<client::Endpoint, std::unique_ptr<Node>> nodes_;  // of a cluster
  std::unique_ptr<Node> seed_;                               // the configured server; null if it has left a cluster
  bool asks_for_map_ = false;
  size_t asked_ = 0;  // which node to ask for the map next
  unsigned ticks_ = 0;
  size_t waiting_calls_ = 0;
  EventLoop::Timer tick_;
};

}  // namespace millrace::gateway
