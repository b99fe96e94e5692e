// A poll of a channel's subscriber that waits without a connection of its own to the server: the feed says when the
// channel has something new, and only then it fetches. One message costs a command more than a fetch that waits at the
// server does, and a poll that waits costs nothing there.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "gateway/loop/task.h"
#include "gateway/stream/topic.h"

namespace millrace::gateway {

class ChannelPoll final : public Listener, public std::enable_shared_from_this<ChannelPoll> {
 public:
  using Done = std::function<void(Answer)>;

  // `fetch` is the command, CHAN.FETCH without BLOCK. REQUIRES: everything given outlives the poll.
  ChannelPoll(EventLoop& loop, Upstream& upstream, Topics& topics, Words fetch, Milliseconds wait);

  // `done` gets the first answer that has messages, or is an error, or the one at the end of the wait.
  void start(Done done);
  // `done` is told Closed.
  void cancel();

 private:
  // What comes to the channel is only a sign that a fetch may find something.
  void deliver(Batch&, size_t) override { fetch(); }
  void tell_reset(const Reset&, const Position&) override { fetch(); }
  void tell_position(const Position&) override {}
  void nudge() override { fetch(); }
  bool is_full() const override { return false; }
  void fail(const std::string& why) override;

  Detached join();
  void fetch();
  Detached fetch_all();
  void end(Answer answer);

  EventLoop& loop_;
  Upstream& upstream_;
  Topics& topics_;
  const Words words_;
  const TopicKey key_;
  const Milliseconds wait_;
  Done done_;
  Topic* topic_ = nullptr;
  bool is_fetching_ = false;
  bool must_fetch_ = false;  // once more
  bool is_late_ = false;     // the wait is over: the next answer counts, whatever it is
  EventLoop::Timer deadline_;
};

}  // namespace millrace::gateway
