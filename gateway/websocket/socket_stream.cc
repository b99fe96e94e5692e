#include "gateway/websocket/socket_stream.h"

#include <utility>

#include "gateway/auth/request_rate.h"
#include "gateway/json/json_text.h"
#include "gateway/routes/answers.h"
#include "gateway/routes/figures.h"
#include "gateway/routes/parameters.h"
#include "gateway/stream/reading.h"
#include "gateway/websocket/socket_answers.h"

namespace millrace::gateway {
namespace {

constexpr uint16_t kTryLater = 1013;
// Requests whose answers are still to come; a client that sends more without reading is ended.
constexpr size_t kMostUnanswered = 1000;
constexpr size_t kMostUnansweredFrames = 16;  // of the greatest size
constexpr size_t kMostFollows = 1000;
constexpr size_t kMostDevices = 10;

std::optional<TopicKey> topic_in(const JsonObject& request) {
  if (auto log = request.text("log")) return TopicKey{TopicKey::Kind::Log, std::move(*log)};
  if (auto channel = request.text("channel")) return TopicKey{TopicKey::Kind::Channel, std::move(*channel)};
  return std::nullopt;
}

const std::string kNoTopic = socket_error("invalid", "expected \"log\" or \"channel\"");

}  // namespace

void SocketStream::begin(StreamSink& sink) {
  sink_ = &sink;
  ++services_.figures.sockets;
}

bool SocketStream::on_bytes(std::string_view bytes) {
  if (is_closing_) return true;
  if (!reader_) reader_ = std::make_unique<FrameReader>(services_.config.frame_bytes);
  const auto self = shared_from_this();
  if (untaken_ > services_.config.stream_backlog + services_.config.frame_bytes) {
    close(kTryLater, "the answers are not read");
    return true;
  }
  std::string reply;
  const bool goes_on = reader_->put(
      bytes,
      [this](std::string_view text) {
        unfinished_ = 0;
        serve(std::string(text));
      },
      reply);
  if (sink_ == nullptr) return true;
  untaken_ += reply.size();
  if (!reply.empty()) sink_->send(std::move(reply));
  if (sink_ != nullptr && !goes_on) {
    is_closing_ = true;
    sink_->finish();
  } else if (reader_ && reader_->is_between_messages()) {
    reader_.reset();
    unfinished_ = 0;
  }
  return true;
}

Detached SocketStream::serve(std::string text) {
  const auto self = shared_from_this();
  if (is_closing_) co_return;
  const size_t size = text.size();
  unanswered_bytes_ += size;
  if (++unanswered_ > kMostUnanswered || unanswered_bytes_ > kMostUnansweredFrames * services_.config.frame_bytes) {
    close(kTryLater, "too many requests at once");
    co_return;
  }
  auto request = JsonObject::parse(text);
  const std::string id(request ? request->raw("id").value_or("null") : "null");
  std::string rest;
  if (!services_.rate.takes_request(caller_->name, services_.loop.now())) {
    rest = socket_error("too-many-requests", "too many requests");
  } else if (request) {
    rest = co_await answer_to(std::move(*request));
  } else {
    rest = socket_error("invalid", "expected a JSON object");
  }
  --unanswered_;
  unanswered_bytes_ -= size;
  answer("{\"id\":" + id + ',' + rest + '}');
}

void SocketStream::answer(std::string_view json) {
  untaken_ += json.size();
  send_text(json);
}

Task<std::string> SocketStream::answer_to(JsonObject request) {
  const std::string type = request.text("type").value_or("");
  if (type == "ping") co_return std::string("\"ok\":true");
  if (type == "follow") co_return co_await follow(std::move(request));
  if (type == "unfollow") co_return unfollow(request);
  if (type == "publish") co_return co_await publish(std::move(request));
  if (type == "ack") co_return co_await acknowledge(std::move(request));
  if (type == "device") co_return co_await connect_device(std::move(request));
  if (type == "subscribe" || type == "unsubscribe" || type == "leave") {
    co_return co_await use_device(std::move(request));
  }
  co_return socket_error("invalid", "expected \"type\": follow, unfollow, publish, ack, device, subscribe, … or ping");
}

std::optional<std::string> SocketStream::refusal(const TopicKey& topic, Right right) const {
  // The same limit as for a name in an HTTP request, because it is repeated in every message.
  if (topic.name.size() > services_.config.requests.head_bytes) return socket_error("invalid", "the name is too long");
  const Resource resource = topic.kind == TopicKey::Kind::Log ? Resource::Log : Resource::Channel;
  switch (services_.authority.access(*caller_, resource, topic.name, right)) {
    case Authority::Access::Allowed:
      return std::nullopt;
    case Authority::Access::Forbidden:
      return socket_error("forbidden", "this is not allowed");
    case Authority::Access::NoSuchChannel:
      return socket_error("invalid-channel", "the rules let no channel of this name exist");
  }
  return std::nullopt;
}

Task<std::string> SocketStream::follow(JsonObject request) {
  const auto topic = topic_in(request);
  if (!topic) co_return kNoTopic;
  if (auto refused = refusal(*topic, Right::Read)) co_return std::move(*refused);
  Position after;
  if (const auto given = request.text("position")) {
    const auto position = parse_position(topic->kind, *given);
    if (!position) co_return socket_error("bad-position", "the position is none of ours");
    after = *position;
  } else {
    const auto start = co_await find_start(services_.upstream, *topic, request.text("from").value_or("$"));
    if (!start) {
      const bool is_wrong = start.error().code == client::ErrorCode::BadInput;
      co_return socket_error(is_wrong ? "invalid" : "unavailable", start.error().text);
    }
    after = *start;
  }
  if (sink_ == nullptr) co_return std::string();
  if (!follows_) follows_ = std::make_unique<FollowMap>();
  if (follows_->contains(*topic)) co_return socket_error("conflict", "it is followed already");
  if (follows_->size() >= kMostFollows) co_return socket_error("too-many", "no more than 1000 are followed");
  Topic& shared = services_.topics.at(*topic);
  auto made = std::make_shared<SocketFollow>(*this, shared);
  follows_->emplace(*topic, made);
  shared.join(std::move(made), std::move(after));
  co_return std::string("\"ok\":true");
}

std::string SocketStream::unfollow(const JsonObject& request) {
  const auto topic = topic_in(request);
  if (!topic) return kNoTopic;
  if (!follows_ || !follows_->contains(*topic)) return socket_error("not-followed", "it is not followed");
  drop(*topic);
  return "\"ok\":true";
}

Task<std::string> SocketStream::publish(JsonObject request) {
  const auto topic = topic_in(request);
  if (!topic) co_return kNoTopic;
  if (auto refused = refusal(*topic, Right::Write)) co_return std::move(*refused);
  const bool is_log = topic->kind == TopicKey::Kind::Log;
  auto value = value_in(request, is_log ? "entry" : "content");
  const auto id = request.text("message");
  if (!value || (!is_log && !id)) {
    co_return socket_error("invalid", is_log ? "expected \"entry\"" : "expected \"message\", its id, and \"content\"");
  }
  Words words = is_log ? Words{"TWRITE", topic->name, "ENTRIES", request.text("tag").value_or(""), std::move(*value)}
                       : Words{"CHAN.PUBLISH", topic->name, *id, std::move(*value)};
  const Answer answer = co_await services_.upstream.ask(std::move(words));
  if (auto failed = failure_of(answer)) co_return socket_failure(*failed);
  if (answer->is_nil()) co_return std::string("\"ok\":true,\"duplicate\":true");
  co_return std::string(is_log ? "\"ok\":true,\"offset\":" : "\"ok\":true,\"clock\":") +
      std::to_string(answer->integer);
}

Task<std::string> SocketStream::acknowledge(JsonObject request) {
  const auto topic = topic_in(request);
  if (!topic) co_return kNoTopic;
  const bool is_log = topic->kind == TopicKey::Kind::Log;
  // Messages taken by a group are not available to others, so that needs the right to write; receipts concern only
  // their subscriber.
  if (auto refused = refusal(*topic, is_log ? Right::Write : Right::Read)) co_return std::move(*refused);
  Words words;
  if (is_log) {
    words = {"TACK", topic->name, request.text("group").value_or("")};
    const auto offsets = json_items(request.raw("offsets").value_or(""));
    if (!offsets || offsets->empty()) co_return socket_error("invalid", "expected \"offsets\"");
    for (const std::string_view item : *offsets) words.push_back(json_string_value(item).value_or(std::string(item)));
  } else {
    words = {"CHAN.ACK", topic->name, request.text("subscriber").value_or(""), request.text("receipt").value_or("")};
  }
  const Answer answer = co_await services_.upstream.ask(std::move(words));
  if (auto failed = failure_of(answer)) co_return socket_failure(*failed);
  services_.topics.nudge(*topic);
  co_return "\"ok\":true,\"acknowledged\":" + std::to_string(answer->integer);
}

Task<std::string> SocketStream::connect_device(JsonObject request) {
  const std::string table = request.text("table").value_or("");
  const std::string name = request.text("device").value_or("");
  if (table.empty() || name.empty()) co_return socket_error("invalid", "expected \"table\" and \"device\"");
  if (!services_.authority.may(*caller_, Resource::Route, table, Right::Read)) {
    co_return socket_error("forbidden", "this is not allowed");
  }
  if (!devices_) devices_ = std::make_unique<DeviceMap>();
  if (devices_->contains(table)) co_return socket_error("conflict", "this socket has a device of the table already");
  if (devices_->size() >= kMostDevices) co_return socket_error("too-many", "no more than 10 tables");
  const auto device = std::make_shared<SocketDevice>(*this, services_, table, name);
  devices_->emplace(table, device);
  // With a token, the user is its subject.
  auto user = caller_->claims ? caller_->claims->text("sub") : request.text("user");
  std::string answer = co_await device->open(std::move(user), request.text("cursor"));
  if (sink_ == nullptr) co_return std::string();
  if (answer.starts_with("\"ok\"")) {
    // Sent behind the answer.
    services_.loop.later([device] { device->begin(); });
  } else {
    forget_device(table, device);
  }
  co_return answer;
}

Task<std::string> SocketStream::use_device(JsonObject request) {
  const std::string table = request.text("table").value_or("");
  const auto found = devices_ ? devices_->find(table) : DeviceMap::iterator();
  if (!devices_ || found == devices_->end()) {
    co_return socket_error("no-device", "no device of this table is connected");
  }
  const auto device = found->second;
  const std::string type = request.text("type").value_or("");
  if (type == "subscribe") co_return co_await device->subscribe(std::move(request));
  if (type == "unsubscribe") co_return co_await device->unsubscribe(std::move(request));
  std::string answer = co_await device->leave();
  forget_device(table, device);
  co_return answer;
}

// Meanwhile another request may have connected another device of the table.
void SocketStream::forget_device(const std::string& table, const std::shared_ptr<SocketDevice>& device) {
  device->forget();
  if (!devices_) return;
  const auto found = devices_->find(table);
  if (found != devices_->end() && found->second == device) devices_->erase(found);
}

void SocketStream::send_frames(const SharedBytes& bytes, size_t begin, size_t size, size_t messages) {
  if (sink_ == nullptr || is_closing_) return;
  services_.figures.events += messages;
  sink_->send(bytes, begin, size);
}

void SocketStream::send_text(std::string_view json) {
  if (sink_ == nullptr || is_closing_) return;
  std::string frame;
  append_text_frame(frame, json);
  sink_->send(std::move(frame));
}

bool SocketStream::is_full() const { return sink_ == nullptr || sink_->unsent() > services_.config.stream_backlog; }

void SocketStream::drop(const TopicKey& key) {
  const auto found = follows_ ? follows_->find(key) : FollowMap::iterator();
  if (!follows_ || found == follows_->end()) return;
  const auto followed = found->second;
  follows_->erase(found);
  followed->forget();
  followed->topic().leave(*followed);
  services_.topics.release(followed->topic().key());
}

void SocketStream::on_sent() {
  untaken_ = 0;
  if (devices_) {
    const DeviceMap devices = *devices_;
    for (const auto& [table, device] : devices) device->resume();
  }
  if (!follows_) return;
  for (const auto& [topic, followed] : *follows_) followed->topic().resume(*followed);
}

void SocketStream::close(uint16_t code, std::string_view why) {
  if (sink_ == nullptr || is_closing_) return;
  is_closing_ = true;
  StreamSink& sink = *sink_;
  sink.send(close_frame(code, why));
  sink.finish();
}

bool SocketStream::keep_alive() {
  // A message that remains incomplete.
  if (reader_ && ++unfinished_ > 2) return false;
  static const auto ping = std::make_shared<const std::string>(ping_frame());
  if (sink_ != nullptr && sink_->unsent() == 0 && !is_closing_) sink_->send(ping, 0, ping->size());
  return true;
}

void SocketStream::on_end() {
  if (sink_ == nullptr) return;
  const auto self = shared_from_this();
  sink_ = nullptr;
  --services_.figures.sockets;
  if (devices_) {
    for (const auto& [table, device] : *devices_) device->forget();
    devices_.reset();
  }
  if (!follows_) return;
  for (const auto& [topic, followed] : *follows_) {
    followed->forget();
    followed->topic().leave(*followed);
    services_.topics.release(topic);
  }
  follows_.reset();
}

}  // namespace millrace::gateway
