#include "gateway/deliver/courier.h"

#include <openssl/rand.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "gateway/deliver/hook_retry.h"
#include "gateway/deliver/hook_signature.h"
#include "gateway/json/json_object.h"
#include "gateway/json/json_text.h"

namespace millrace::gateway {
namespace {

// How many parcels are kept in memory if order, or a channel, requires it.
constexpr size_t kWindow = 256;
// After this many consecutive failures, the receiver is considered broken, not its messages.
constexpr unsigned long kOutOfOrder = 10;
constexpr Milliseconds kLongestPause{60'000};

uint64_t random_number() {
  uint64_t number = 0;
  RAND_bytes(reinterpret_cast<unsigned char*>(&number), sizeof number);
  return number;
}

}  // namespace

Courier::Courier(EventLoop& loop, HookClient& client, const WebhookRule& rule, std::vector<std::string> secrets,
                 HookFigures& figures, std::function<void(const std::string&)> tell)
    : loop_(loop),
      client_(client),
      rule_(rule),
      secrets_(std::move(secrets)),
      figures_(figures),
      tell_(std::move(tell)) {}

Courier::~Courier() {
  *is_alive_ = false;
  drop();
  loop_.cancel(pause_);
}

size_t Courier::limit() const { return is_paused_ || is_stopped_ ? 0 : failures_ >= kOutOfOrder ? 1 : rule_.at_once; }

size_t Courier::room() const {
  if (is_paused_ || is_stopped_) return 0;
  // A source that takes failed parcels back needs only the parcels that are in flight.
  const size_t most = rule_.in_order || rule_.is_channel() ? std::max(kWindow, rule_.at_once) : limit();
  return held_.size() < most ? most - held_.size() : 0;
}

void Courier::take(Parcel parcel) {
  auto held = std::make_shared<Held>(Held{.parcel = std::move(parcel)});
  held_[held->parcel.number] = held;
  if (rule_.in_order) {
    auto& lane = lanes_[held->parcel.lane];
    lane.push_back(held);
    if (lane.size() > 1) return;
  }
  make_ready(held);
}

void Courier::make_ready(const HeldPtr& held) {
  ready_.push_back(held);
  start();
}

void Courier::start() {
  while (in_flight_ < limit() && !ready_.empty()) {
    const HeldPtr held = ready_.front();
    ready_.pop_front();
    send(held);
  }
}

void Courier::send(const HeldPtr& held) {
  ++in_flight_;
  ++figures_.in_flight;
  held->is_sent = true;
  std::string address = rule_.url;
  if (address.empty()) {
    const auto object = JsonObject::parse(held->parcel.content);
    address = object ? object->text(rule_.url_field).value_or("") : "";
  }
  const auto url = parse_hook_url(address);
  const auto begun = loop_.now();
  const auto done = [this, alive = is_alive_, held, begun](const HookOutcome& outcome) {
    if (!*alive) return;
    --in_flight_;
    --figures_.in_flight;
    figures_.milliseconds += static_cast<uint64_t>(std::chrono::floor<Milliseconds>(loop_.now() - begun).count());
    held->is_sent = false;
    take_outcome(held, outcome);
    start();
    source_->on_room();
  };
  if (!url) {
    // The URL came with the message, so that another attempt would not find another one.
    loop_.later([done, why = "the URL in '" + rule_.url_field + "' is none: " + url.error()] {
      done({.why = why, .is_private = true});
    });
    return;
  }
  const HookTarget target{.url = *url, .ca = rule_.ca, .allow_private = rule_.allow_private};
  client_.send(target, request_of(held->parcel, *url), rule_.timeout, done);
}

std::string Courier::request_of(const Parcel& parcel, const HookUrl& url) const {
  const std::string timestamp = std::to_string(std::time(nullptr));
  std::string text =
      "POST " + url.target + " HTTP/1.1\r\nHost: " + url.host_header() +
      "\r\nUser-Agent: millrace\r\nContent-Length: " + std::to_string(parcel.content.size()) +
      "\r\nContent-Type: " + (compact_json(parcel.content) ? "application/json" : "application/octet-stream") +
      "\r\nwebhook-id: " + parcel.id + "\r\nwebhook-timestamp: " + timestamp +
      "\r\nMillrace-Attempt: " + std::to_string(parcel.attempts + 1) + "\r\n";
  if (!secrets_.empty()) {
    text += "webhook-signature: " + hook_signature(secrets_, parcel.id, timestamp, parcel.content) + "\r\n";
  }
  for (const auto& [name, value] : parcel.headers) text.append(name).append(": ").append(value).append("\r\n");
  for (const std::string& header : rule_.headers) text.append(header).append("\r\n");
  return text.append("\r\n").append(parcel.content);
}

bool Courier::is_hopeless(const HookOutcome& outcome) const {
  if (outcome.is_private) return rule_.url.empty();
  return std::ranges::find(rule_.hopeless, std::to_string(outcome.status)) != rule_.hopeless.end();
}

void Courier::take_outcome(const HeldPtr& held, const HookOutcome& outcome) {
  if (outcome.status / 100 == 2) {
    ++figures_.delivered;
    note_success();
    source_->finish(held->parcel);
    return remove(held);
  }
  ++figures_.failed;
  const std::string why = outcome.status == 0 ? outcome.why : "HTTP " + std::to_string(outcome.status);
  if (is_hopeless(outcome)) {
    // The receiver works; it only refuses this message.
    note_success();
    return give_up(held, why);
  }
  fail(held, outcome, why);
}

void Courier::fail(const HeldPtr& held, const HookOutcome& outcome, const std::string& why) {
  const auto asked = outcome.retry_after
                         ? parse_retry_after(*outcome.retry_after, std::time(nullptr)).value_or(Milliseconds(0))
                         : Milliseconds(0);
  note_failure(asked);
  if (!holds(held)) return;
  // Receivers that come with the messages may not hold back others: a window of messages waits for the first of them.
  const Milliseconds most = rule_.url.empty() ? rule_.longest_back_off : Milliseconds::max();
  const unsigned long attempts = ++held->parcel.attempts;
  if (attempts >= rule_.attempts) return give_up(held, why + ", after " + std::to_string(attempts) + " attempts");
  const Milliseconds pause = std::max(
      std::min(asked, most), back_off_after(attempts, rule_.back_off, rule_.longest_back_off, random_number()));
  if (source_->give_back(held->parcel, pause)) return remove(held);
  held->again = loop_.after(pause, [this, held] {
    held->again = {};
    make_ready(held);
  });
}

// A parcel that was dropped meanwhile belongs to another deliverer, or was taken again.
bool Courier::holds(const HeldPtr& held) const {
  const auto found = held_.find(held->parcel.number);
  return found != held_.end() && found->second == held;
}

void Courier::give_up(const HeldPtr& held, const std::string& reason) {
  if (!holds(held)) return;
  ++figures_.given_up;
  tell_("webhook " + rule_.name() + ": gave message " + held->parcel.id + " up: " + reason);
  source_->give_up(held->parcel, reason);
  remove(held);
}

void Courier::remove(const HeldPtr& held) {
  if (!holds(held)) return;
  held_.erase(held->parcel.number);
  if (!rule_.in_order) return;
  const auto lane = lanes_.find(held->parcel.lane);
  lane->second.pop_front();
  if (lane->second.empty()) {
    lanes_.erase(lane);
  } else {
    make_ready(lane->second.front());
  }
}

void Courier::note_success() {
  if (std::exchange(failures_, 0) >= kOutOfOrder) tell_("webhook " + rule_.name() + ": the receiver works again");
}

// A receiver that is broken or asks for a pause gets no requests: otherwise all its messages would run out of attempts.
void Courier::note_failure(Milliseconds asked_pause) {
  if (rule_.url.empty()) return;
  if (++failures_ == kOutOfOrder) tell_("webhook " + rule_.name() + ": the receiver fails; only one request at a time");
  Milliseconds pause = std::min(asked_pause, kLongestPause);
  if (failures_ >= kOutOfOrder) {
    pause =
        std::max(pause, back_off_after(failures_ - kOutOfOrder + 1, rule_.back_off, kLongestPause, random_number()));
  }
  const auto end = loop_.now() + pause;
  if (pause <= Milliseconds(0) || (is_paused_ && end <= pause_ends_)) return;
  if (is_paused_) loop_.cancel(pause_);
  is_paused_ = true;
  figures_.is_paused = true;
  pause_ends_ = end;
  pause_ = loop_.after(pause, [this] {
    pause_ = {};
    is_paused_ = false;
    figures_.is_paused = false;
    start();
    source_->on_room();
  });
}

void Courier::drop() {
  for (const auto& [number, held] : held_) loop_.cancel(held->again);
  held_.clear();
  lanes_.clear();
  ready_.clear();
}

std::vector<uint64_t> Courier::numbers() const {
  std::vector<uint64_t> numbers;
  numbers.reserve(held_.size());
  for (const auto& [number, held] : held_) numbers.push_back(number);
  return numbers;
}

}  // namespace millrace::gateway
