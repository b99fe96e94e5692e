// Reads messages of a log or a channel after a position. If messages were evicted, expired, replaced or lost meanwhile,
// that is reported as a reset, and the read continues with the next existing message.
#pragma once

#include "gateway/loop/task.h"
#include "gateway/stream/message.h"
#include "gateway/upstream/upstream.h"

namespace millrace::gateway {

// At most this many messages and bytes in one read.
inline constexpr size_t kReadMessages = 500;
inline constexpr size_t kReadBytes = 256 << 10;

// The command that reads after a position.
Words words_to_read(const TopicKey& topic, const Position& after);

// Parses its answer. BadInput: the answer is an error. Protocol: the answer has an unexpected form.
client::Result<Reading> reading_of(const TopicKey& topic, const Position& after, const client::Reply& answer);

// The same for one key in an answer to FEED.READ: [key, position, [message ...], more, missed].
client::Result<Reading> feed_reading(const TopicKey& topic, const Position& after, const client::Reply& entry);

Task<client::Result<Reading>> read_after(Upstream& upstream, TopicKey topic, Position after);

// The position where a new reader begins: "$" is after the last message, "-" before the first; for a log also an
// offset, or -n for the last n messages. BadInput: none of these.
Task<client::Result<Position>> find_start(Upstream& upstream, TopicKey topic, std::string from);

}  // namespace millrace::gateway
