#include "gateway/websocket/socket_device.h"

#include <utility>

#include "gateway/json/json_text.h"
#include "gateway/routes/answers.h"
#include "gateway/routes/figures.h"
#include "gateway/stream/reading.h"
#include "gateway/websocket/socket_answers.h"

namespace millrace::gateway {
namespace {

constexpr Milliseconds kReadAgain{200};
constexpr std::string_view kPresenceModel = "$presence";

// A moment's pause of a coroutine.
auto pause_for(EventLoop& loop, Milliseconds time) {
  return told<bool>([&loop, time](const std::function<void(bool)>& done) { loop.after(time, [done] { done(true); }); });
}

// APP … MODEL … [USER …] [ID …] [FILTER …]. What is wrong, or nothing.
std::optional<std::string> append_channel(Words& words, const JsonObject& request) {
  constexpr std::pair<std::string_view, std::string_view> kFields[] = {
      {"app", "APP"}, {"model", "MODEL"}, {"user", "USER"}, {"object", "ID"}};
  for (const auto& [name, word] : kFields) {
    const auto text = request.text(name);
    if (text) words.insert(words.end(), {std::string(word), *text});
    if (!text && (name == "app" || name == "model" || request.raw(name))) {
      return socket_error("invalid", "expected a text \"" + std::string(name) + '"');
    }
  }
  if (const auto filter = request.raw("filter")) words.insert(words.end(), {"FILTER", std::string(*filter)});
  return std::nullopt;
}

}  // namespace

SocketDevice::SocketDevice(FollowingSocket& socket, Services& services, std::string table, std::string device)
    : socket_(&socket),
      services_(services),
      table_(std::move(table)),
      device_(std::move(device)),
      transport_("ws." + services.config.name) {}

std::string SocketDevice::retention() const { return std::to_string(services_.config.device_retention.count()); }

Task<std::string> SocketDevice::open(std::optional<std::string> user, std::optional<std::string> cursor) {
  const auto self = shared_from_this();
  std::optional<DeviceCursor> given;
  if (cursor) {
    given = parse_device_cursor(*cursor);
    if (!given) co_return socket_error("bad-cursor", "the cursor is none of ours");
  }
  // The log keeps messages as long as a device may be disconnected, plus some time to read them.
  Words retain = {"TRETAIN", log_of(transport_).name, "AGE",
                  std::to_string(services_.config.device_retention.count() * 2)};
  const Answer retained = co_await services_.upstream.ask(std::move(retain));
  if (auto failed = failure_of(retained)) co_return socket_failure(*failed);
  const auto tail = co_await find_start(services_.upstream, log_of(transport_), "$");
  if (!tail) co_return socket_error("unavailable", tail.error().text);
  const DeviceCursor here{transport_, *tail};
  const Presence presence = co_await take_here(here);
  if (presence == Presence::Unavailable) co_return socket_error("unavailable", "the server cannot be reached");
  const bool is_known = presence == Presence::Known;
  if (!is_known) {
    trail_ = {};
    trail_.add(here);
  }
  const bool is_made = co_await make(std::move(user));
  const bool is_saved = co_await save_trail();
  if (!is_made || !is_saved) co_return socket_error("unavailable", "the server cannot be reached");
  const auto parts = given && is_known ? trail_.parts_after(*given) : std::nullopt;
  parts_ = parts.value_or(std::vector<TrailPart>{{transport_, here.position}});
  if (given && !parts) {
    missing_ = Reset{is_known ? R"({"reason":"unknown-cursor"})" : R"({"reason":"gone"})", here.position};
  }
  std::string answer = std::string("\"ok\":true,\"resumed\":") + (is_known ? "true" : "false") + ",\"cursor\":";
  append_string(answer, parts ? given->text() : here.text());
  co_return answer;
}

// Moves the device from the end of its trail to this gateway. The move is recorded before it is made, so that the next
// gateway knows where the device may be.
Task<SocketDevice::Presence> SocketDevice::take_here(DeviceCursor here) {
  Words get = {"GET", trail_key()};
  const Answer noted = co_await services_.upstream.ask(std::move(get));
  if (!noted) co_return Presence::Unavailable;
  if (noted->is_nil() || noted->is_error()) co_return Presence::New;
  trail_ = DeviceTrail::parse(noted->text);
  if (trail_.is_empty()) co_return Presence::New;
  const bool is_here = co_await is_at(transport_);
  if (is_here && trail_.last().transport == transport_) co_return Presence::Known;
  trail_.add(std::move(here));
  const bool is_saved = co_await save_trail();
  if (!is_saved) co_return Presence::Unavailable;
  const std::vector<std::string> transports = trail_.transports();
  for (const std::string& from : transports) {
    if (from == transport_) continue;
    Words move = {"ROUTE.DEVICE", "MOVE", table_, name_at(from), name_at(transport_)};
    const Answer moved = co_await services_.upstream.ask(std::move(move), 2);
    if (!moved) co_return Presence::Unavailable;
    if (!moved->is_nil() && !moved->is_error()) co_return Presence::Known;
  }
  // An earlier move of ours, whose answer was lost.
  const bool came_here = co_await is_at(transport_);
  co_return came_here ? Presence::Known : Presence::New;
}

Task<bool> SocketDevice::is_at(std::string transport) {
  Words touch = {"ROUTE.DEVICE", "TOUCH", table_, name_at(transport)};
  const Answer answer = co_await services_.upstream.ask(std::move(touch), 2);
  co_return answer && answer->integer == 1;
}

Task<bool> SocketDevice::save_trail() {
  Words set = {"SET", trail_key(), trail_.text(), "PX", retention()};
  const Answer answer = co_await services_.upstream.ask(std::move(set));
  co_return answer && !answer->is_error();
}

Task<bool> SocketDevice::make(std::optional<std::string> user) {
  Words set = {"ROUTE.DEVICE", "SET", table_, name_at(transport_), "TTL", retention()};
  if (user && !user->empty()) set.insert(set.end(), {"USER", *user});
  const Answer answer = co_await services_.upstream.ask(std::move(set), 2);
  co_return answer && !answer->is_error();
}

Task<std::string> SocketDevice::subscribe(JsonObject request) {
  const auto self = shared_from_this();
  Words words = {"ROUTE.SUBSCRIBE", table_, name_at(transport_)};
  if (auto wrong = append_channel(words, request)) co_return std::move(*wrong);
  words.emplace_back("XX");
  // Presence is dispatched from the first subscription to it on.
  if (request.text("model") == kPresenceModel) {
    Words presence = {"ROUTE.PRESENCE", table_, "QUEUES", "*", table_ + ':'};
    const Answer answer = co_await services_.upstream.ask(std::move(presence));
    if (auto failed = failure_of(answer)) co_return socket_failure(*failed);
  }
  const Answer answer = co_await services_.upstream.ask(std::move(words));
  if (auto failed = failure_of(answer)) co_return socket_failure(*failed);
  if (answer->items.size() != 2) {
    co_return socket_error("no-device", "the device is connected elsewhere, or was away too long");
  }
  std::string name = answer->items[0].text;
  if (!answer->items[1].is_nil()) name += '#' + answer->items[1].text;
  std::string json = "\"ok\":true,\"subscription\":";
  append_string(json, name);
  co_return json;
}

Task<std::string> SocketDevice::unsubscribe(JsonObject request) {
  const auto self = shared_from_this();
  Words words = {"ROUTE.UNSUBSCRIBE", table_, name_at(transport_)};
  if (auto wrong = append_channel(words, request)) co_return std::move(*wrong);
  const Answer answer = co_await services_.upstream.ask(std::move(words));
  if (auto failed = failure_of(answer)) co_return socket_failure(*failed);
  co_return "\"ok\":true,\"ended\":" + std::to_string(answer->integer);
}

Task<std::string> SocketDevice::leave() {
  const auto self = shared_from_this();
  Words words = {"ROUTE.DEVICE", "DEL", table_, name_at(transport_)};
  const Answer answer = co_await services_.upstream.ask(std::move(words), 2);
  if (auto failed = failure_of(answer)) co_return socket_failure(*failed);
  Words forget_trail = {"DEL", trail_key()};
  const Answer forgotten = co_await services_.upstream.ask(std::move(forget_trail));
  co_return std::string("\"ok\":true");
}

void SocketDevice::begin() {
  if (socket_ == nullptr) return;
  has_begun_ = true;
  is_reading_ = true;
  if (missing_) tell_reset(*missing_);
  if (socket_ == nullptr) return;  // its connection was broken
  keep_ = services_.loop.after(services_.config.device_retention / 3, [self = shared_from_this()] { self->keep(); });
  read_parts();
}

// The logs of gateways where the device was before, one after the other; then ours.
Detached SocketDevice::read_parts() {
  const auto self = shared_from_this();
  is_reading_ = true;
  while (parts_.size() > 1) {
    // A slow client continues when it has received what was sent.
    if (is_full()) {
      is_reading_ = false;
      co_return;
    }
    const TopicKey log = log_of(parts_.front().transport);
    const auto reading = co_await read_after(services_.upstream, log, parts_.front().after);
    if (socket_ == nullptr) co_return;
    if (!reading) {
      co_await pause_for(services_.loop, kReadAgain);
      continue;
    }
    TrailPart& part = parts_.front();
    if (reading->reset) send_reset(part.transport, reading->reset->json, reading->reset->position);
    std::vector<Message> messages = reading->messages;
    if (part.up_to) std::erase_if(messages, [&](const Message& one) { return one.position.number > *part.up_to; });
    Batch batch(log, messages);
    send_changes(part.transport, batch, 0);
    part.after = reading->position;
    const bool is_past = part.up_to && part.after.number >= *part.up_to;
    if (is_past || !reading->has_more) parts_.erase(parts_.begin());
  }
  if (socket_ == nullptr) co_return;
  topic_ = &services_.topics.at(log_of(transport_));
  topic_->join(shared_from_this(), parts_.back().after);
}

// Keeps the device alive while the socket is open, unless it has moved to another gateway.
Detached SocketDevice::keep() {
  const auto self = shared_from_this();
  if (socket_ == nullptr) co_return;
  Words touch = {"ROUTE.DEVICE", "TOUCH", table_, name_at(transport_)};
  const Answer answer = co_await services_.upstream.ask(std::move(touch), 2);
  if (socket_ == nullptr) co_return;
  if (answer && !answer->is_error() && answer->integer == 0) {
    std::string json = "{\"event\":\"left\",\"table\":";
    append_string(json, table_);
    socket_->send_text(json + '}');
    forget();
    co_return;
  }
  Words expire = {"PEXPIRE", trail_key(), retention()};
  services_.upstream.call(std::move(expire), 1, [](const Answer&) {});
  keep_ = services_.loop.after(services_.config.device_retention / 3, [self] { self->keep(); });
}

void SocketDevice::deliver(Batch& batch, size_t first) { send_changes(transport_, batch, first); }

void SocketDevice::send_changes(const std::string& transport, Batch& batch, size_t first) {
  for (size_t i = first; i < batch.messages().size() && socket_ != nullptr; ++i) {
    const auto& change = batch.change(i);
    if (!change) continue;
    const auto found = change->devices.find(device_);
    if (found == change->devices.end()) continue;
    const DeviceCursor cursor{transport, batch.messages()[i].position};
    ++services_.figures.events;
    socket_->send_text(change_event(table_, *change, found->second, cursor.text()));
  }
}

void SocketDevice::send_reset(const std::string& transport, const std::string& missing, const Position& position) {
  if (socket_ == nullptr) return;
  ++services_.figures.resets;
  std::string json = "{\"event\":\"reset\",\"table\":";
  append_string(json, table_);
  json += ",\"missing\":" + missing + ",\"cursor\":";
  append_string(json, DeviceCursor{transport, position}.text());
  socket_->send_text(json + '}');
}

void SocketDevice::tell_reset(const Reset& reset) { send_reset(transport_, reset.json, reset.position); }

void SocketDevice::fail(const std::string& why) {
  // The topic has let this device go, and ends when its last listener leaves.
  if (std::exchange(topic_, nullptr) != nullptr) services_.topics.release(log_of(transport_));
  if (socket_ != nullptr) socket_->send_text("{\"event\":\"error\"," + socket_error("refused", why) + '}');
}

void SocketDevice::resume() {
  if (topic_ != nullptr) {
    topic_->resume(*this);
  } else if (has_begun_ && !is_reading_) {
    read_parts();
  }
}

void SocketDevice::forget() {
  const auto self = shared_from_this();
  socket_ = nullptr;
  services_.loop.cancel(keep_);
  if (topic_ == nullptr) return;
  std::exchange(topic_, nullptr)->leave(*this);
  services_.topics.release(log_of(transport_));
}

}  // namespace millrace::gateway
