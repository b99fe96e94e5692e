#include "gateway/stream/subscriber_stream.h"

#include <utility>

#include "gateway/json/json_text.h"

namespace millrace::gateway {
namespace {

constexpr size_t kWindow = 256;
constexpr size_t kWindowBytes = 1 << 20;
// Acknowledgements through another gateway are noticed with this delay; a fetch is also a sign of life.
constexpr Milliseconds kFetchAgain{1000};

}  // namespace

SubscriberStream::SubscriberStream(EventLoop& loop, Upstream& upstream, Topics& topics, Figures& figures,
                                   std::string channel, std::string subscriber, Position now)
    : loop_(loop),
      upstream_(upstream),
      topics_(topics),
      figures_(figures),
      key_{TopicKey::Kind::Channel, std::move(channel)},
      subscriber_(std::move(subscriber)),
      now_(std::move(now)) {}

void SubscriberStream::begin(StreamSink& sink) {
  sink_ = &sink;
  ++figures_.streams;
  topic_ = &topics_.at(key_);
  topic_->join(shared_from_this(), std::exchange(now_, {}));
  fetch();
}

void SubscriberStream::fetch() {
  must_fetch_ = true;
  if (!is_fetching_ && sink_ != nullptr) fetch_all();
}

Detached SubscriberStream::fetch_all() {
  const auto self = shared_from_this();
  is_fetching_ = true;
  while (sink_ != nullptr && std::exchange(must_fetch_, false)) {
    // A client that has not read what was sent gets nothing more; the timer tries again.
    if (sink_->unsent() > kWindowBytes) break;
    Words words = {
        "CHAN.FETCH", key_.name, subscriber_, "MAX", std::to_string(kWindow), "MAXBYTES", std::to_string(kWindowBytes)};
    const Answer answer = co_await upstream_.ask(std::move(words));
    if (sink_ == nullptr) co_return;
    if (!take(answer)) break;
  }
  is_fetching_ = false;
  if (sink_ == nullptr) co_return;
  loop_.cancel(again_);
  again_ = loop_.after(kFetchAgain, [this] { fetch(); });
}

// [[[id, content], ...], receipt, more]. What has not been sent before is sent. False: the server is gone for now.
bool SubscriberStream::take(const Answer& answer) {
  if (!answer) return false;
  if (answer->is_error()) {
    if (answer->is_error("NOSUB")) fail(answer->text);
    return false;
  }
  if (answer->items.size() != 3) return false;
  std::set<std::string> ids;
  std::string messages;
  for (const client::Reply& message : answer->items[0].items) {
    if (message.items.size() != 2) return false;
    const std::string& id = message.items[0].text;
    ids.insert(id);
    if (unacknowledged_.contains(id)) continue;
    messages += messages.empty() ? "{\"id\":" : ",{\"id\":";
    append_string(messages, id);
    messages += ',';
    append_value(messages, "content", message.items[1].text);
    messages += '}';
    ++figures_.events;
  }
  unacknowledged_ = std::move(ids);
  if (messages.empty()) return true;
  const std::string& receipt = answer->items[1].text;
  sink_->send("event: messages\ndata: {\"messages\":[" + messages + "],\"receipt\":\"" + receipt + "\"}\n\n");
  return true;
}

void SubscriberStream::drain() {
  if (sink_ == nullptr) return;
  StreamSink& sink = *sink_;
  sink.send("retry: 1000\n\n");
  sink.finish();
}

bool SubscriberStream::keep_alive() {
  if (sink_ != nullptr && sink_->unsent() == 0) sink_->send(":\n\n");
  return true;
}

void SubscriberStream::fail(const std::string& why) {
  if (sink_ == nullptr) return;
  std::string event = "event: error\ndata: {\"error\":";
  append_string(event, why);
  StreamSink& sink = *sink_;
  sink.send(event + "}\n\n");
  sink.finish();
}

void SubscriberStream::on_end() {
  if (sink_ == nullptr) return;
  const auto self = shared_from_this();
  sink_ = nullptr;
  loop_.cancel(again_);
  --figures_.streams;
  topic_->leave(*this);
  topics_.release(key_);
}

}  // namespace millrace::gateway
