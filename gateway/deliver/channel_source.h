// The messages of a subscriber of a channel, as parcels. A receipt acknowledges all messages up to it. So only one
// deliverer at a time handles them, and it acknowledges up to the first message that is not finished.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "gateway/config/webhook_rule.h"
#include "gateway/deliver/courier.h"
#include "gateway/deliver/leadership.h"
#include "gateway/deliver/parcel.h"
#include "gateway/deliver/wakeup.h"
#include "gateway/upstream/upstream.h"

namespace millrace::gateway {

class ChannelSource final : public HookSource {
 public:
  // `owner` is unique to this deliverer. REQUIRES: all arguments outlive the source.
  ChannelSource(EventLoop& loop, Upstream& upstream, const WebhookRule& rule, Courier& courier, std::string owner,
                std::function<void(const std::string&)> tell);

  void start() override;
  void on_room() override {}
  void finish(const Parcel& parcel) override;
  void give_up(const Parcel& parcel, const std::string& reason) override;
  bool give_back(const Parcel&, Milliseconds) override { return false; }
  void stop() override;
  bool is_settled() const override { return !is_running_; }
  void leave() override { leadership_.release(); }

 private:
  struct Known {
    uint64_t number;
    std::string id;
    std::string why_dead = {};  // tag of the dead letter, until that is written
    std::string content = {};   // entry of the dead letter, until that is written
    bool is_done = false;
  };

  Detached run();
  Task<bool> step();
  Task<bool> acknowledge(size_t count);
  Task<bool> write_dead_letters(size_t count);
  Task<Answer> fetch(size_t most, Milliseconds wait);
  Task<bool> subscribe();
  void take(const client::Reply& messages);
  size_t done_at_front() const;
  void on_leading();

  Upstream& upstream_;
  const WebhookRule& rule_;
  Courier& courier_;
  std::function<void(const std::string&)> tell_;
  Leadership leadership_;
  Wakeup wakeup_;
  Upstream::Waiting waiting_;
  std::deque<Known> known_;  // unacknowledged, in the order of the channel
  uint64_t next_number_ = 1;
  bool stops_ = false;
  bool is_running_ = false;
};

}  // namespace millrace::gateway
