// The messages of a log or a channel as a stream of server-sent events.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gateway/http/stream_body.h"
#include "gateway/routes/figures.h"
#include "gateway/stream/topic.h"

namespace millrace::gateway {

class SseStream final : public StreamBody, public Listener, public std::enable_shared_from_this<SseStream> {
 public:
  struct Options {
    size_t backlog = 256 << 10;          // how many bytes it may be behind
    std::vector<std::string> tags = {};  // only messages with one of these labels; empty: all
  };

  // REQUIRES: `topics` and `figures` outlive the stream's connection.
  SseStream(Topics& topics, Figures& figures, TopicKey key, Position after, Options options);

  void begin(StreamSink& sink) override;
  void on_sent() override;
  void drain() override;
  bool keep_alive() override;
  void on_end() override;

 private:
  // Fields that only some streams need.
  struct Extra {
    TopicKey key;    // until it begins
    Position after;  // the same
    std::vector<std::string> tags;
    Position passed = {};  // position after messages that were filtered out, until it is sent
  };

  void deliver(Batch& batch, size_t first) override;
  void tell_reset(const Reset& reset) override;
  void tell_position(const Position& position) override;
  bool is_full() const override { return sink_ == nullptr || sink_->unsent() > backlog_; }
  void fail(const std::string& why) override;

  void deliver_some(Batch& batch, size_t first);

  Topics& topics_;
  Figures& figures_;
  Topic* topic_ = nullptr;
  StreamSink* sink_ = nullptr;
  size_t backlog_;
  std::unique_ptr<Extra> extra_;
};

}  // namespace millrace::gateway
