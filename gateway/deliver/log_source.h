// The messages of a group of a log, as parcels. The group stores which messages are in flight: nothing is lost if a
// deliverer dies, and a failed message is delivered again after its pause, by any deliverer.
//
// In order: one deliverer at a time reads all messages, with one consumer name, and holds them until they are
// delivered. The next deliverer first reads what that consumer still holds, then new messages.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gateway/config/webhook_rule.h"
#include "gateway/deliver/courier.h"
#include "gateway/deliver/leadership.h"
#include "gateway/deliver/parcel.h"
#include "gateway/deliver/wakeup.h"
#include "gateway/upstream/upstream.h"

namespace millrace::gateway {

class LogSource final : public HookSource {
 public:
  // `owner` is unique to this deliverer. REQUIRES: all arguments outlive the source.
  LogSource(EventLoop& loop, Upstream& upstream, const WebhookRule& rule, Courier& courier, std::string owner,
            std::function<void(const std::string&)> tell);
  ~LogSource() override;

  void start() override;
  void on_room() override { wakeup_.wake(); }
  void finish(const Parcel& parcel) override;
  void give_up(const Parcel& parcel, const std::string& reason) override;
  bool give_back(const Parcel& parcel, Milliseconds pause) override;
  void stop() override;
  bool is_settled() const override { return !is_settling_ && !is_running_; }
  void leave() override {
    if (leadership_) leadership_->release();
  }

 private:
  Detached run();
  Task<bool> prepare();
  Task<Answer> read(size_t room);
  bool skips(const client::Reply& messages);
  void take(const client::Reply& messages);
  void on_leading();
  void extend_leases();
  Task<bool> return_unsent();
  bool is_unsent(uint64_t offset) const;
  Detached settle();
  Task<bool> acknowledge();
  Task<bool> bury();
  Words words(std::string command) const { return {std::move(command), rule_.log, rule_.group}; }

  EventLoop& loop_;
  Upstream& upstream_;
  const WebhookRule& rule_;
  Courier& courier_;
  const std::string consumer_;
  std::function<void(const std::string&)> tell_;
  const Milliseconds lease_;
  std::unique_ptr<Leadership> leadership_;  // if in order
  Wakeup wakeup_;
  Wakeup settle_pause_;
  Upstream::Waiting waiting_;
  EventLoop::Timer extension_;
  bool is_prepared_ = false;
  bool stops_ = false;
  bool is_running_ = false;
  bool is_settling_ = false;
  uint64_t reign_ = 0;           // how often leadership has changed
  uint64_t next_ = 0;            // the offset behind all that were read since
  uint64_t unread_of_mine_ = 0;  // offset from which to look for messages that our consumer holds; 0: none are left
  std::vector<uint64_t> finished_;
  std::vector<uint64_t> acknowledging_;  // finished; their acknowledgement is being sent
  std::deque<std::pair<uint64_t, std::string>> given_up_;
};

}  // namespace millrace::gateway
