// What streams carry: messages of a log or a channel, and where a reader stands in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/reply.h"

namespace millrace::gateway {

struct TopicKey {
  enum class Kind : uint8_t { Log, Channel };
  Kind kind;
  std::string name;

  auto operator<=>(const TopicKey&) const = default;
};

// Behind a message: what a client sends as Last-Event-ID to go on after it. Of a log it is epoch.offset, of a channel
// clock.mark. An empty text is the beginning of what does not exist yet.
struct Position {
  std::string text = {};
  int64_t number = 0;  // the offset or the clock: which of two positions of one life is further
};

// As a client writes it. Of a log a bare offset is one, too. Nothing: it cannot be one.
std::optional<Position> parse_position(TopicKey::Kind kind, std::string_view text);

// Whether both can belong to one life of the key: it was not deleted and made again in between.
bool same_life(TopicKey::Kind kind, const Position& one, const Position& other);

struct Message {
  Position position;
  std::string label;  // the tag of a log's message, the id of a channel's
  std::string content;
};

// Something between two messages is missing, and what: a JSON object.
struct Reset {
  std::string json;
};

// What one read gave.
struct Reading {
  std::optional<Reset> reset = {};  // before the messages
  std::vector<Message> messages = {};
  Position position = {};  // to read on from
  bool has_more = false;   // there is more already
};

}  // namespace millrace::gateway
