// A poll of a channel's subscriber that does not block a connection to the server while it waits: the feed reports when
// the channel has something new, and only then the poll fetches. Compared with a fetch that blocks at the server, each
// message costs one more command, but a poll that waits costs the server nothing.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "gateway/loop/task.h"
#include "gateway/stream/topic.h"

namespace millrace::gateway {

class ChannelPoll final : public FetchingListener, public std::enable_shared_from_this<ChannelPoll> {
 public:
  using Done = std::function<void(Answer)>;

  // `fetch` is the command, CHAN.FETCH without BLOCK. REQUIRES: all arguments outlive the poll.
  ChannelPoll(EventLoop& loop, Upstream& upstream, Topics& topics, Words fetch, Milliseconds wait);

  // Calls `done` once: with the first answer that has messages or is an error, or with the answer at the end of the
  // wait.
  void start(Done done);
  // Calls `done` with Closed.
  void cancel();

 private:
  void fail(const std::string& why) override;

  Detached join();
  void fetch() override;
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
  bool must_fetch_ = false;  // fetch again after the current fetch
  bool is_late_ = false;     // the wait is over: the next answer is the result, whatever it is
  EventLoop::Timer deadline_;
};

}  // namespace millrace::gateway
