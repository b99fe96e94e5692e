#include "gateway/stream/sse_stream.h"

#include <algorithm>
#include <utility>

#include "gateway/json/json_text.h"

namespace millrace::gateway {
namespace {

// How long a client should wait before it reconnects, if we end the stream.
constexpr std::string_view kComeAgain = "retry: 1000\n\n";

}  // namespace

SseStream::SseStream(Topics& topics, Figures& figures, TopicKey key, Position after, Options options)
    : topics_(topics),
      figures_(figures),
      backlog_(options.backlog),
      extra_(std::make_unique<Extra>(Extra{std::move(key), std::move(after), std::move(options.tags)})) {}

void SseStream::begin(StreamSink& sink) {
  sink_ = &sink;
  ++figures_.streams;
  Position after = std::move(extra_->after);
  topic_ = &topics_.at(extra_->key);
  if (extra_->tags.empty()) extra_.reset();
  topic_->join(shared_from_this(), std::move(after));
}

void SseStream::deliver(Batch& batch, size_t first) {
  if (sink_ == nullptr) return;
  if (extra_) return deliver_some(batch, first);
  const Encoded& events = batch.events();
  const size_t begin = events.begin_of(first);
  figures_.events += batch.messages().size() - first;
  sink_->send(events.bytes, begin, events.bytes->size() - begin);
}

void SseStream::deliver_some(Batch& batch, size_t first) {
  const Encoded& events = batch.events();
  const auto& messages = batch.messages();
  // Copied: a part of the batch would keep all of it in memory until this client has read the part.
  std::string wanted;
  for (size_t i = first; i < messages.size(); ++i) {
    if (std::ranges::find(extra_->tags, messages[i].label) == extra_->tags.end()) {
      extra_->passed = messages[i].position;
      continue;
    }
    ++figures_.events;
    extra_->passed = {};
    wanted.append(*events.bytes, events.begin_of(i), events.ends[i] - events.begin_of(i));
  }
  if (!wanted.empty()) sink_->send(std::move(wanted));
}

void SseStream::tell_reset(const Reset& reset) {
  ++figures_.resets;
  if (extra_) extra_->passed = {};  // it may be behind the end of the log now
  if (sink_ != nullptr) sink_->send(reset_event(reset));
}

void SseStream::tell_position(const Position& position) {
  if (sink_ != nullptr) sink_->send(position_event(position));
}

void SseStream::on_sent() { topic_->resume(*this); }

void SseStream::drain() {
  if (sink_ == nullptr) return;
  StreamSink& sink = *sink_;
  sink.send(std::string(kComeAgain));
  sink.finish();
}

bool SseStream::keep_alive() {
  static const auto comment = std::make_shared<const std::string>(":\n\n");
  // A client that does not read is disconnected by its time-out, and gets nothing more until then.
  if (sink_ == nullptr || sink_->unsent() != 0) return true;
  if (extra_ && !extra_->passed.text.empty()) {
    tell_position(std::exchange(extra_->passed, {}));
  } else {
    sink_->send(comment, 0, comment->size());
  }
  return true;
}

void SseStream::fail(const std::string& why) {
  if (sink_ == nullptr) return;
  std::string event = "event: error\ndata: {\"error\":";
  append_string(event, why);
  StreamSink& sink = *sink_;
  sink.send(event + "}\n\n");
  sink.finish();
}

void SseStream::on_end() {
  if (sink_ == nullptr) return;
  sink_ = nullptr;
  --figures_.streams;
  const auto self = shared_from_this();
  const TopicKey key = topic_->key();
  topic_->leave(*this);
  topics_.release(key);
}

}  // namespace millrace::gateway
