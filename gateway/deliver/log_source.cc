#include "gateway/deliver/log_source.h"

#include <algorithm>

#include "gateway/deliver/hook_signature.h"

namespace millrace::gateway {
namespace {

constexpr size_t kMostRead = 100;
constexpr size_t kMostAcknowledged = 500;
constexpr size_t kMostReason = 512;
constexpr Milliseconds kReadWait{10'000};
constexpr Milliseconds kAfterFailure{500};
constexpr Milliseconds kOrderedLease{60'000};
// With in_order, all deliverers use one consumer name, so that the next one finds the messages of the last one.
constexpr const char* kOrderedConsumer = "millrace deliver";

}  // namespace

LogSource::LogSource(EventLoop& loop, Upstream& upstream, const WebhookRule& rule, Courier& courier, std::string owner,
                     std::function<void(const std::string&)> tell)
    : loop_(loop),
      upstream_(upstream),
      rule_(rule),
      courier_(courier),
      consumer_(rule.in_order ? kOrderedConsumer : owner),
      tell_(std::move(tell)),
      // After its request is over, a message is acknowledged well within the time that is left.
      lease_(rule.in_order ? kOrderedLease : rule.timeout + rule.takeover * 3 / 2),
      wakeup_(loop),
      settle_pause_(loop) {
  if (!rule_.in_order) return;
  leadership_ = std::make_unique<Leadership>(loop_, upstream_, leadership_key(rule_.log, rule_.group), std::move(owner),
                                             rule_.takeover, [this] { on_leading(); });
}

LogSource::~LogSource() { loop_.cancel(extension_); }

void LogSource::start() {
  if (leadership_) {
    leadership_->start();
    extend_leases();
  }
  run();
}

void LogSource::stop() {
  stops_ = true;
  waiting_.give_up();
  wakeup_.wake();
}

void LogSource::on_leading() {
  courier_.drop();
  is_prepared_ = false;
  ++reign_;
  unread_of_mine_ = 1;
  next_ = 0;
  if (leadership_->leads()) {
    wakeup_.wake();
  } else {
    waiting_.cancel();
  }
}

Detached LogSource::run() {
  is_running_ = true;
  while (!stops_) {
    const size_t room = courier_.room();
    if (room == 0 || (leadership_ && !leadership_->leads())) {
      co_await wakeup_.wait(kReadWait);
      continue;
    }
    if (!is_prepared_) is_prepared_ = co_await prepare();
    if (!is_prepared_) {
      co_await wakeup_.wait(kAfterFailure);
      continue;
    }
    const uint64_t reign = reign_;
    const bool reads_mine = unread_of_mine_ != 0;
    const Answer answer = co_await read(std::min(room, kMostRead));
    if (stops_ || reign != reign_) continue;
    if (!answer || answer->is_error()) {
      is_prepared_ = false;
      unread_of_mine_ = 1;  // the lost answer may have had messages
      co_await wakeup_.wait(kAfterFailure);
      continue;
    }
    // What is left out may have been delivered to a deliverer that was the last one, and reads still. By MINE it comes
    // before what follows it.
    if (leadership_ && skips(*answer) && !reads_mine) {
      unread_of_mine_ = 1;
      continue;
    }
    take(*answer);
  }
  // With in_order, the next deliverer has the same name, and finds them by it.
  if (!leadership_) co_await return_unsent();
  is_running_ = false;
}

// Gives back messages that the server has delivered to us and that were not sent: the last read may have got messages
// although it was given up. Otherwise they would wait for the end of their lease.
Task<bool> LogSource::return_unsent() {
  for (uint64_t from = 1; from != 0;) {
    Words held = {"TREADGROUP", rule_.log, std::to_string(from), std::to_string(kMostRead), "GROUP", rule_.group};
    held.insert(held.end(), {"CONSUMER", consumer_, "MINE"});
    const Answer answer = co_await upstream_.ask(std::move(held));
    if (!answer || !answer->is_array()) co_return false;
    Words back = words("TNACK");
    back.insert(back.end(), {"CONSUMER", consumer_, "UNCOUNTED"});
    const size_t before = back.size();
    for (const client::Reply& message : answer->items) {
      const auto offset = static_cast<uint64_t>(message.items[0].integer);
      if (is_unsent(offset)) back.push_back(std::to_string(offset));
    }
    if (back.size() > before) {
      const Answer returned = co_await upstream_.ask(std::move(back));
      if (!returned) co_return false;
    }
    const bool has_more = answer->items.size() == kMostRead;
    from = has_more ? static_cast<uint64_t>(answer->items.back().items[0].integer) + 1 : 0;
  }
  co_return true;
}

// Neither in flight nor finished.
bool LogSource::is_unsent(uint64_t offset) const {
  return !courier_.is_sent(offset) && std::ranges::find(finished_, offset) == finished_.end() &&
         std::ranges::find(acknowledging_, offset) == acknowledging_.end() &&
         std::ranges::find(given_up_, offset, &std::pair<uint64_t, std::string>::first) == given_up_.end();
}

// The group, with its dead letters.
Task<bool> LogSource::prepare() {
  const std::string dead = rule_.dead_letter_log();
  Words create = {"TGROUP", "CREATE", rule_.log, rule_.group, rule_.from_now ? "NEXT" : "FIRST"};
  Words set = {"TGROUP", "SET", rule_.log, rule_.group};
  for (Words* const words : {&create, &set}) {
    words->insert(words->end(), {"DEADLETTER", dead.empty() ? "NONE" : dead});
  }
  Answer answer = co_await upstream_.ask(std::move(create), 2);
  if (answer && !answer->is_error() && answer->integer == 0) answer = co_await upstream_.ask(std::move(set), 2);
  if (answer && !answer->is_error()) co_return true;
  if (answer) tell_("webhook " + rule_.name() + ": the server refuses: " + answer->text);
  co_return false;
}

// First the messages of an earlier deliverer, as long as there are any; then new ones.
Task<Answer> LogSource::read(size_t room) {
  const bool reads_mine = leadership_ && unread_of_mine_ != 0;
  const uint64_t reign = reign_;
  Words asked = {"TREADGROUP", rule_.log, std::to_string(reads_mine ? unread_of_mine_ : 1), std::to_string(room),
                 "GROUP"};
  asked.insert(asked.end(), {rule_.group, "RETRY", std::to_string(lease_.count()), "0", "WITHATTEMPTS", "WITHTIME"});
  asked.insert(asked.end(), {"CONSUMER", consumer_});
  if (reads_mine) {
    asked.emplace_back("MINE");
    Answer answer = co_await upstream_.ask(std::move(asked));
    if (answer && answer->is_array() && reign == reign_) {
      const auto& items = answer->items;
      unread_of_mine_ = items.empty() ? 0 : static_cast<uint64_t>(items.back().items[0].integer) + 1;
    }
    co_return answer;
  }
  asked.insert(asked.end(), {"BLOCK", std::to_string(kReadWait.count())});
  co_return co_await upstream_.ask_waiting(std::move(asked), kReadWait, waiting_);
}

// Whether an offset is left out before one of these messages, or before the first one since we lead.
bool LogSource::skips(const client::Reply& messages) {
  bool has_gap = false;
  for (const client::Reply& message : messages.items) {
    const auto offset = static_cast<uint64_t>(message.items[0].integer);
    has_gap = has_gap || offset > next_;
    next_ = std::max(next_, offset + 1);
  }
  return has_gap;
}

// [[offset, tag, entry, attempts, time], ...]
void LogSource::take(const client::Reply& messages) {
  std::vector<uint64_t> unwanted;
  for (const client::Reply& message : messages.items) {
    const auto& item = message.items;
    if (item.size() < 5) continue;
    const auto number = static_cast<uint64_t>(item[0].integer);
    // The message is already in flight, or its end is not confirmed yet: its lease ended before.
    if (courier_.has(number) || !is_unsent(number)) continue;
    // The courier has paused while the read waited: others need not wait with it.
    if (!leadership_ && courier_.room() == 0) {
      unwanted.push_back(number);
      continue;
    }
    const std::string offset = std::to_string(number);
    Parcel parcel{.number = number,
                  .lane = item[1].text,
                  .id = hook_id({"log", rule_.log, offset, std::to_string(item[4].integer)}),
                  .content = item[2].text,
                  .headers = {{"Millrace-Log", percent_encoded(rule_.log)},
                              {"Millrace-Offset", offset},
                              {"Millrace-Tag", percent_encoded(item[1].text)}}};
    if (!leadership_) parcel.attempts = static_cast<unsigned long>(item[3].integer - 1);
    if (parcel.attempts >= rule_.attempts) {
      give_up(parcel, "no attempt has come to an end");
      continue;
    }
    courier_.take(std::move(parcel));
  }
  if (unwanted.empty()) return;
  Words back = words("TNACK");
  back.insert(back.end(), {"CONSUMER", consumer_, "UNCOUNTED"});
  for (const uint64_t offset : unwanted) back.push_back(std::to_string(offset));
  upstream_.call(std::move(back), 1, [](const Answer&) {});
}

void LogSource::finish(const Parcel& parcel) {
  finished_.push_back(parcel.number);
  settle();
}

void LogSource::give_up(const Parcel& parcel, const std::string& reason) {
  given_up_.emplace_back(parcel.number, reason.substr(0, kMostReason));
  settle();
}

bool LogSource::give_back(const Parcel& parcel, Milliseconds pause) {
  if (leadership_) return false;
  Words back = words("TNACK");
  back.insert(back.end(), {"CONSUMER", consumer_, "DELAY", std::to_string(pause.count())});
  back.push_back(std::to_string(parcel.number));
  // If the server does not get it, the message comes again when its lease ends.
  upstream_.call(std::move(back), 1, [](const Answer&) {});
  return true;
}

// Acknowledges finished messages, until the server has confirmed it.
Detached LogSource::settle() {
  if (std::exchange(is_settling_, true)) co_return;
  while (!finished_.empty() || !given_up_.empty()) {
    bool is_told = false;
    if (finished_.empty()) {
      is_told = co_await bury();
    } else {
      is_told = co_await acknowledge();
    }
    if (!is_told) co_await settle_pause_.wait(kAfterFailure);
  }
  is_settling_ = false;
}

Task<bool> LogSource::acknowledge() {
  acknowledging_.swap(finished_);
  if (acknowledging_.size() > kMostAcknowledged) {
    finished_.assign(acknowledging_.begin() + kMostAcknowledged, acknowledging_.end());
    acknowledging_.resize(kMostAcknowledged);
  }
  // Also messages that have passed to another deliverer meanwhile: they have arrived.
  Words done = words("TACK");
  for (const uint64_t offset : acknowledging_) done.push_back(std::to_string(offset));
  const Answer answer = co_await upstream_.ask(std::move(done));
  // Any error, except that the group is gone with all that it had.
  const bool is_told = answer && (!answer->is_error() || answer->is_error("NOGROUP"));
  if (!is_told) finished_.insert(finished_.end(), acknowledging_.begin(), acknowledging_.end());
  acknowledging_.clear();
  co_return is_told;
}

Task<bool> LogSource::bury() {
  const auto [offset, reason] = given_up_.front();
  Words dead = words("TNACK");
  dead.insert(dead.end(), {"DEAD", reason, std::to_string(offset)});
  Answer answer = co_await upstream_.ask(std::move(dead));
  if (answer && answer->is_error() && !answer->is_error("NOGROUP") && !answer->is_error("LOADING")) {
    tell_("webhook " + rule_.name() + ": a dead letter cannot be written: " + answer->text);
    co_return false;
  }
  if (!answer || answer->is_error("LOADING")) co_return false;
  given_up_.pop_front();
  co_return true;
}

// While we have the messages, they are not delivered again.
void LogSource::extend_leases() {
  const std::vector<uint64_t> numbers = courier_.numbers();
  if (!numbers.empty() && leadership_->leads()) {
    Words extend = words("TEXTEND");
    extend.insert(extend.end(), {"CONSUMER", consumer_, std::to_string(lease_.count())});
    for (const uint64_t offset : numbers) extend.push_back(std::to_string(offset));
    upstream_.call(std::move(extend), 1, [](const Answer&) {});
  }
  extension_ = loop_.after(lease_ / 4, [this] { extend_leases(); });
}

}  // namespace millrace::gateway
