#include "gateway/deliver/leadership.h"

#include <utility>

namespace millrace::gateway {

std::string leadership_key(const std::string& key, std::string_view name) {
  std::string text = "millrace:webhook:" + key + ':';
  for (const char c : name) {
    if (c == '%' || c == ':') {
      text += c == '%' ? "%25" : "%3a";
    } else {
      text += c;
    }
  }
  return text;
}

Leadership::Leadership(EventLoop& loop, Upstream& upstream, std::string key, std::string owner, Milliseconds lease,
                       std::function<void()> changed)
    : loop_(loop),
      upstream_(upstream),
      key_(std::move(key)),
      owner_(std::move(owner)),
      changed_(std::move(changed)),
      wakeup_(loop),
      lease_(lease) {}

Leadership::~Leadership() { loop_.cancel(end_); }

Detached Leadership::run() {
  while (!is_released_) {
    const Moment since = loop_.now();
    Words words = {leads_ ? "LOCK.RENEW" : "LOCK.ACQUIRE", key_, owner_, std::to_string(lease_.count())};
    const bool renews = leads_;
    const Answer answer = co_await upstream_.ask(std::move(words));
    if (is_released_) break;
    // Without an answer the lease continues to run.
    if (answer && !answer->is_error()) {
      const bool has_it = renews ? answer->integer == 1 : answer->items.size() == 4 && answer->items[0].integer == 1;
      if (has_it) watch_lease(since);
      set(has_it);
    }
    co_await wakeup_.wait(lease_ / 4);
  }
}

// Counted from the time of the request: the server counts from a later time.
void Leadership::watch_lease(Moment since) {
  loop_.cancel(end_);
  const auto left = std::chrono::floor<Milliseconds>(since + lease_ - loop_.now());
  end_ = loop_.after(left, [this] {
    end_ = {};
    set(false);
  });
}

void Leadership::set(bool leads) {
  if (!leads) loop_.cancel(end_);
  if (std::exchange(leads_, leads) != leads) changed_();
}

void Leadership::release() {
  if (std::exchange(is_released_, true)) return;
  wakeup_.wake();
  if (!leads_) return;
  Words words = {"LOCK.RELEASE", key_, owner_};
  upstream_.call(std::move(words), 1, [](const Answer&) {});
  set(false);
}

}  // namespace millrace::gateway
