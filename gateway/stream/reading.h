// Reads messages of a log or a channel behind a position, whatever happened to it meanwhile: what was evicted, expired,
// replaced or lost is told as a reset, and the read goes on with what there is.
#pragma once

#include "gateway/loop/task.h"
#include "gateway/stream/message.h"
#include "gateway/upstream/upstream.h"

namespace millrace::gateway {

// At most this many messages and bytes in one read.
inline constexpr size_t kReadMessages = 500;
inline constexpr size_t kReadBytes = 256 << 10;

// The command that reads behind a position.
Words words_to_read(const TopicKey& topic, const Position& after);

// What an answer to it says. BadInput: it is an error of the server. Protocol: it is not what was asked for.
client::Result<Reading> reading_of(const TopicKey& topic, const Position& after, const client::Reply& answer);

// The same of one key in an answer to FEED.READ: [key, position, [message ...], more, missed].
client::Result<Reading> feed_reading(const TopicKey& topic, const Position& after, const client::Reply& entry);

Task<client::Result<Reading>> read_after(Upstream& upstream, TopicKey topic, Position after);

// Where a new reader begins: "$" behind the last message, "-" before the first, of a log also an offset, or -n for the
// last n. BadInput: it is none of these.
Task<client::Result<Position>> find_start(Upstream& upstream, TopicKey topic, std::string from);

}  // namespace millrace::gateway
