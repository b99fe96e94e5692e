// Delivers the parcels of one webhook to their receivers: at most a given number at once, in order if configured, and
// again after a pause if a delivery fails.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "gateway/config/webhook_rule.h"
#include "gateway/deliver/hook_client.h"
#include "gateway/deliver/hook_figures.h"
#include "gateway/deliver/parcel.h"

namespace millrace::gateway {

class Courier {
 public:
  // REQUIRES: `rule`, `client` and `figures` outlive it. `tell` gets messages for people.
  Courier(EventLoop& loop, HookClient& client, const WebhookRule& rule, std::vector<std::string> secrets,
          HookFigures& figures, std::function<void(const std::string&)> tell);
  ~Courier();
  Courier(const Courier&) = delete;
  Courier& operator=(const Courier&) = delete;

  // Called before all other functions.
  void use(HookSource& source) { source_ = &source; }

  // How many more parcels it takes now.
  size_t room() const;
  bool has(uint64_t number) const { return held_.contains(number); }
  // Whether its request is in progress.
  bool is_sent(uint64_t number) const {
    const auto found = held_.find(number);
    return found != held_.end() && found->second->is_sent;
  }
  void take(Parcel parcel);

  // Drops parcels that have not been sent: another deliverer takes them over. Requests in progress are completed.
  void drop();
  // Sends no more requests. Those in progress are completed.
  void stop() { is_stopped_ = true; }
  bool is_idle() const { return in_flight_ == 0; }
  // The numbers of all parcels that it has.
  std::vector<uint64_t> numbers() const;

 private:
  struct Held {
    Parcel parcel = {};
    bool is_sent = false;
    EventLoop::Timer again = {};
  };
  using HeldPtr = std::shared_ptr<Held>;

  void make_ready(const HeldPtr& held);
  void start();
  void send(const HeldPtr& held);
  std::string request_of(const Parcel& parcel, const HookUrl& url) const;
  void take_outcome(const HeldPtr& held, const HookOutcome& outcome);
  void fail(const HeldPtr& held, const HookOutcome& outcome, const std::string& why);
  void give_up(const HeldPtr& held, const std::string& reason);
  void remove(const HeldPtr& held);
  bool holds(const HeldPtr& held) const;
  bool is_hopeless(const HookOutcome& outcome) const;
  // How many requests may be in progress: few while the receiver fails.
  size_t limit() const;
  void note_success();
  void note_failure(Milliseconds asked_pause);

  EventLoop& loop_;
  HookClient& client_;
  const WebhookRule& rule_;
  const std::vector<std::string> secrets_;
  HookFigures& figures_;
  std::function<void(const std::string&)> tell_;
  HookSource* source_ = nullptr;
  std::map<uint64_t, HeldPtr> held_;
  std::unordered_map<std::string, std::deque<HeldPtr>> lanes_;  // if in order
  std::deque<HeldPtr> ready_;
  size_t in_flight_ = 0;
  unsigned long failures_ = 0;  // consecutive failures over all parcels
  bool is_paused_ = false;
  bool is_stopped_ = false;
  EventLoop::Timer pause_;
  Moment pause_ends_;
  std::shared_ptr<bool> is_alive_ = std::make_shared<bool>(true);
};

}  // namespace millrace::gateway
