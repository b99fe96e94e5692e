// Messages for all listeners, each encoded once for every format that is sent.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "gateway/net/output_queue.h"
#include "gateway/stream/dispatched_change.h"
#include "gateway/stream/message.h"

namespace millrace::gateway {

// All messages of a batch, concatenated, and where each ends.
struct Encoded {
  SharedBytes bytes;
  std::vector<size_t> ends;

  size_t begin_of(size_t message) const { return message == 0 ? 0 : ends[message - 1]; }
};

class Batch {
 public:
  Batch(const TopicKey& topic, const std::vector<Message>& messages) : topic_(topic), messages_(messages) {}

  const std::vector<Message>& messages() const { return messages_; }
  // As events of an SSE stream.
  const Encoded& events();
  // As text frames of a WebSocket.
  const Encoded& frames();
  // A message as a change for devices. nullopt: it is not a change.
  const std::optional<DispatchedChange>& change(size_t message);

 private:
  const TopicKey& topic_;
  const std::vector<Message>& messages_;
  std::optional<Encoded> events_;
  std::optional<Encoded> frames_;
  std::vector<std::optional<DispatchedChange>> changes_;  // changes of all messages, parsed when the first one is
                                                          // needed
};

// The fields of a message, without braces: "offset":17,"tag":"new","entry":…
void append_message(std::string& out, const TopicKey& topic, const Message& message);

// "log":"…" or "channel":"…"
void append_topic(std::string& out, const TopicKey& topic);

// An event that reports missing messages, and one that only reports the reader's position.
std::string reset_event(const Reset& reset);
std::string position_event(const Position& position);

}  // namespace millrace::gateway
