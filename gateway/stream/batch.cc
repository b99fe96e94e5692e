#include "gateway/stream/batch.h"

#include "gateway/json/json_text.h"
#include "gateway/websocket/frames.h"

namespace millrace::gateway {

void append_message(std::string& out, const TopicKey& topic, const Message& message) {
  if (topic.kind == TopicKey::Kind::Channel) {
    out += "\"id\":";
    append_string(out, message.label);
    out += ',';
    append_value(out, "content", message.content);
    return;
  }
  out += "\"offset\":" + std::to_string(message.position.number) + ",\"tag\":";
  append_string(out, message.label);
  out += ',';
  append_value(out, "entry", message.content);
}

const Encoded& Batch::events() {
  if (events_) return *events_;
  std::string text;
  events_.emplace();
  for (const Message& message : messages_) {
    text += "id: " + message.position.text + "\ndata: {";
    append_message(text, topic_, message);
    text += "}\n\n";
    events_->ends.push_back(text.size());
  }
  events_->bytes = std::make_shared<const std::string>(std::move(text));
  return *events_;
}

const Encoded& Batch::frames() {
  if (frames_) return *frames_;
  std::string frames;
  frames_.emplace();
  for (const Message& message : messages_) {
    std::string json = "{\"event\":\"message\",";
    append_topic(json, topic_);
    json += ",\"position\":\"" + message.position.text + "\",";
    append_message(json, topic_, message);
    append_text_frame(frames, json + '}');
    frames_->ends.push_back(frames.size());
  }
  frames_->bytes = std::make_shared<const std::string>(std::move(frames));
  return *frames_;
}

const std::optional<DispatchedChange>& Batch::change(size_t message) {
  if (changes_.empty()) {
    for (const Message& one : messages_) changes_.push_back(dispatched_change(one.content));
  }
  return changes_[message];
}

void append_topic(std::string& out, const TopicKey& topic) {
  out += topic.kind == TopicKey::Kind::Log ? "\"log\":" : "\"channel\":";
  append_string(out, topic.name);
}

std::string reset_event(const Reset& reset) {
  return "id: " + reset.position.text + "\nevent: reset\ndata: " + reset.json + "\n\n";
}

std::string position_event(const Position& position) { return "id: " + position.text + "\n\n"; }

}  // namespace millrace::gateway
