// The messages of a channel for one subscriber, as server-sent events: each comes with a receipt, and comes again after
// a reconnect until it is acknowledged. At most a window of messages is unacknowledged.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "gateway/http/stream_body.h"
#include "gateway/routes/figures.h"
#include "gateway/stream/topic.h"

namespace millrace::gateway {

class SubscriberStream final : public StreamBody,
                               public FetchingListener,
                               public std::enable_shared_from_this<SubscriberStream> {
 public:
  // REQUIRES: all arguments outlive the stream's connection.
  SubscriberStream(EventLoop& loop, Upstream& upstream, Topics& topics, Figures& figures, std::string channel,
                   std::string subscriber, Position now);

  void begin(StreamSink& sink) override;
  void drain() override;
  bool keep_alive() override;
  void on_end() override;

 private:
  void fail(const std::string& why) override;

  void fetch() override;
  Detached fetch_all();
  bool take(const Answer& answer);

  EventLoop& loop_;
  Upstream& upstream_;
  Topics& topics_;
  Figures& figures_;
  const TopicKey key_;
  const std::string subscriber_;
  Position now_;  // until it begins
  Topic* topic_ = nullptr;
  StreamSink* sink_ = nullptr;
  std::set<std::string> unacknowledged_;  // ids that were sent and not acknowledged yet
  bool is_fetching_ = false;
  bool must_fetch_ = false;  // fetch again after the current fetch
  EventLoop::Timer again_;
};

}  // namespace millrace::gateway
