// The contents of streams: messages of a log or a channel, and the position of a reader.
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

// The position after a message: a client sends it as Last-Event-ID to continue after that message. For a log it is
// epoch.offset, for a channel clock.mark. An empty text is the beginning of a key that does not exist yet.
struct Position {
  std::string text = {};
  int64_t number = 0;  // the offset or the clock: orders two positions of the same life
};

// Parses a position from a client. For a log, a plain offset is allowed too. nullopt: invalid.
std::optional<Position> parse_position(TopicKey::Kind kind, std::string_view text);

// Whether both can belong to the same life of the key, which ends when the key is deleted.
bool same_life(TopicKey::Kind kind, const Position& one, const Position& other);

struct Message {
  Position position;
  std::string label;  // the tag of a log's message, the id of a channel's
  std::string content;
};

// Messages are missing: a JSON object that says which, and a position from which the reading's messages follow. A
// client whose connection ends right after the reset continues there; it then gets the reset once more or the messages.
struct Reset {
  std::string json;
  Position position;
  // Of messages that were evicted or have expired: a reader that has the messages up to this number misses none.
  // nullopt: the log or channel is not the same any more.
  std::optional<int64_t> gap_end = {};
};

// The result of one read.
struct Reading {
  std::optional<Reset> reset = {};  // before the messages
  std::vector<Message> messages = {};
  Position position = {};  // the position to continue from
  bool has_more = false;   // there are already more messages
};

}  // namespace millrace::gateway
