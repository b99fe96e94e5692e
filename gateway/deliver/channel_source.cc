#include "gateway/deliver/channel_source.h"

#include <algorithm>
#include <utility>

#include "gateway/deliver/hook_signature.h"
#include "gateway/json/json_text.h"

namespace millrace::gateway {
namespace {

constexpr size_t kChannelWindow = 256;
constexpr Milliseconds kFetchWait{5'000};
// How often to look for more messages while requests are in progress.
constexpr Milliseconds kLookAgain{250};
constexpr Milliseconds kPauseAfterFailure{500};

}  // namespace

ChannelSource::ChannelSource(EventLoop& loop, Upstream& upstream, const WebhookRule& rule, Courier& courier,
                             std::string owner, std::function<void(const std::string&)> tell)
    : upstream_(upstream),
      rule_(rule),
      courier_(courier),
      tell_(std::move(tell)),
      leadership_(loop, upstream, leadership_key(rule.channel, rule.subscriber), std::move(owner), rule.takeover,
                  [this] { on_leading(); }),
      wakeup_(loop) {}

void ChannelSource::start() {
  leadership_.start();
  run();
}

void ChannelSource::stop() {
  stops_ = true;
  waiting_.cancel();
  wakeup_.wake();
}

void ChannelSource::on_leading() {
  courier_.drop();
  known_.clear();
  waiting_.cancel();
  wakeup_.wake();
}

Detached ChannelSource::run() {
  is_running_ = true;
  // Messages that are finished while we stop are still acknowledged.
  while (!stops_ || done_at_front() > 0 || !courier_.is_idle()) {
    if (!leadership_.leads()) {
      if (stops_) break;
      co_await wakeup_.wait(kFetchWait);
      continue;
    }
    const bool is_well = co_await step();
    if (!is_well) co_await wakeup_.wait(kPauseAfterFailure);
  }
  is_running_ = false;
}

// Acknowledges, or looks for more messages, or waits for an event. False: the server cannot be reached.
Task<bool> ChannelSource::step() {
  const size_t done = done_at_front();
  if (done > 0) co_return co_await acknowledge(done);
  if (!known_.empty() || stops_ || courier_.room() == 0) co_await wakeup_.wait(kLookAgain);
  if (done_at_front() > 0 || stops_ || courier_.room() == 0) co_return true;
  const Milliseconds wait = known_.empty() ? kFetchWait : Milliseconds(0);
  const Answer answer = co_await fetch(kChannelWindow, wait);
  if (!answer) co_return false;
  if (answer->is_error("NOSUB")) co_return co_await subscribe();
  if (answer->is_error() || answer->items.size() != 3) co_return false;
  if (leadership_.leads()) take(answer->items[0]);
  co_return true;
}

// [messages, receipt, more]
Task<Answer> ChannelSource::fetch(size_t most, Milliseconds wait) {
  Words words = {"CHAN.FETCH", rule_.channel, rule_.subscriber, "MAX", std::to_string(most)};
  if (wait == Milliseconds(0)) co_return co_await upstream_.ask(std::move(words));
  words.insert(words.end(), {"BLOCK", std::to_string(wait.count())});
  co_return co_await upstream_.ask_waiting(std::move(words), wait, waiting_);
}

Task<bool> ChannelSource::subscribe() {
  Words words = {"CHAN.SUBSCRIBE", rule_.channel, rule_.subscriber};
  const Answer answer = co_await upstream_.ask(std::move(words));
  courier_.drop();
  known_.clear();
  co_return answer && !answer->is_error();
}

void ChannelSource::take(const client::Reply& messages) {
  for (const client::Reply& message : messages.items) {
    if (message.items.size() != 2 || courier_.room() == 0) return;
    const std::string& id = message.items[0].text;
    if (std::ranges::find(known_, id, &Known::id) != known_.end()) continue;
    known_.push_back({.number = next_number_, .id = id});
    courier_.take(
        {.number = next_number_++,
         .lane = {},
         .id = hook_id({"channel", rule_.channel, id}),
         .content = message.items[1].text,
         .headers = {{"Millrace-Channel", percent_encoded(rule_.channel)}, {"Millrace-Message", percent_encoded(id)}}});
  }
}

size_t ChannelSource::done_at_front() const {
  return static_cast<size_t>(std::ranges::find(known_, false, &Known::is_done) - known_.begin());
}

// Gets a receipt for exactly the finished messages at the front, and acknowledges it.
Task<bool> ChannelSource::acknowledge(size_t count) {
  const bool are_written = co_await write_dead_letters(count);
  if (!are_written) co_return false;
  const Answer fetched = co_await fetch(count, Milliseconds(0));
  if (!fetched) co_return false;
  if (fetched->is_error("NOSUB")) co_return co_await subscribe();
  if (fetched->is_error() || fetched->items.size() != 3) co_return false;
  if (known_.size() < count) co_return true;  // it has lost the lead meanwhile
  // Messages may have expired: then the front of the channel differs from ours.
  const auto end = known_.begin() + static_cast<ptrdiff_t>(count);
  const bool are_ours = std::ranges::all_of(fetched->items[0].items, [&](const client::Reply& message) {
    return message.items.size() == 2 &&
           std::ranges::find(known_.begin(), end, message.items[0].text, &Known::id) != end;
  });
  if (are_ours && !fetched->items[1].is_nil()) {
    Words words = {"CHAN.ACK", rule_.channel, rule_.subscriber, fetched->items[1].text};
    const Answer answer = co_await upstream_.ask(std::move(words));
    if (!answer) co_return false;
    if (answer->is_error() && !answer->is_error("BADRECEIPT") && !answer->is_error("NOSUB")) {
      tell_("webhook " + rule_.name() + ": cannot acknowledge: " + answer->text);
      co_return false;
    }
    if (known_.size() < count) co_return true;
  }
  known_.erase(known_.begin(), known_.begin() + static_cast<ptrdiff_t>(count));
  co_return true;
}

// Each is written once, even after several attempts.
Task<bool> ChannelSource::write_dead_letters(size_t count) {
  const std::string log = rule_.dead_letter_log();
  for (size_t i = 0; i < count && i < known_.size(); ++i) {
    if (known_[i].why_dead.empty() || log.empty()) continue;
    Words words = {"TWRITE", log, "ID", hook_id({"dead", rule_.channel, rule_.subscriber, known_[i].id}), "ENTRIES"};
    words.insert(words.end(), {known_[i].why_dead, known_[i].content});
    const Answer answer = co_await upstream_.ask(std::move(words));
    if (answer && answer->is_error()) {
      tell_("webhook " + rule_.name() + ": a dead letter cannot be written: " + answer->text);
    }
    if (!answer || answer->is_error()) co_return false;
    if (i < known_.size()) known_[i].why_dead.clear();
  }
  co_return true;
}

void ChannelSource::finish(const Parcel& parcel) {
  const auto found = std::ranges::find(known_, parcel.number, &Known::number);
  if (found != known_.end()) found->is_done = true;
  wakeup_.wake();
}

void ChannelSource::give_up(const Parcel& parcel, const std::string& reason) {
  const auto found = std::ranges::find(known_, parcel.number, &Known::number);
  if (found == known_.end()) return;
  // In the same form as the dead letters of groups.
  std::string why = R"({"why":"dead","reason":)";
  append_string(why, reason);
  why += ",\"channel\":";
  append_string(why, rule_.channel);
  why += ",\"subscriber\":";
  append_string(why, rule_.subscriber);
  why += ",\"id\":";
  append_string(why, found->id);
  found->why_dead = why + '}';
  found->content = parcel.content;
  found->is_done = true;
  wakeup_.wake();
}

}  // namespace millrace::gateway
