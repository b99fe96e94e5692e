// Follows keys by feeds: one connection to each node reports all keys that are followed there (FEED.READ). If a feed no
// longer exists, for example after a restart of the server, it is created again from the positions stored here.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "gateway/loop/task.h"
#include "gateway/stream/followers.h"
#include "gateway/upstream/upstream.h"

namespace millrace::gateway {

class FeedFollowers final : public Followers {
 public:
  // `name` is the name of the feeds; it must be unique on the server.
  FeedFollowers(EventLoop& loop, Upstream& upstream, std::string name)
      : loop_(loop), upstream_(upstream), name_(std::move(name)) {}
  ~FeedFollowers() override;

  void start(const TopicKey& topic, const Position& after, Follower& follower) override;
  void stop(const TopicKey& topic) override;

 private:
  struct Followed {
    TopicKey topic;
    Position position;
    Follower* follower;                 // null: it has stopped
    std::optional<NodeName> node = {};  // the node whose feed has the key; nullopt: none yet
  };
  using FollowedPtr = std::shared_ptr<Followed>;
  // Reads the feed of one node, as long as it has keys.
  struct Reader {
    Upstream::Waiting waiting = {};
    bool is_running = false;
  };

  Detached attach(FollowedPtr followed, bool reads_first);
  Task<bool> read_up(FollowedPtr followed);
  Task<bool> add(FollowedPtr followed);
  Detached run_reader(NodeName node);
  void take(const client::Reply& answer, const NodeName& node);
  void take_key(const client::Reply& entry, const NodeName& node);
  void take_messages(const FollowedPtr& followed, const client::Reply& entry);
  void leave_feed(const NodeName& node, const std::string& name);
  void attach_again(const NodeName& node);
  bool has_keys(const NodeName& node) const;

  EventLoop& loop_;
  Upstream& upstream_;
  const std::string name_;
  std::map<TopicKey, FollowedPtr> followed_;
  std::map<NodeName, Reader> readers_;
  std::shared_ptr<bool> is_alive_ = std::make_shared<bool>(true);
};

}  // namespace millrace::gateway
