// A receipt says: this subscriber of this channel was given everything up to this clock.
// It is printable, and worth nothing for any other channel or subscriber:
//
//   42.9f86d081884c7d65        -17.0c00f3a61e2b9d44
//   `' `--------------'
//   |   keyed hash of channel, subscriber and clock, 16 hexadecimal digits
//   the clock
//
// Clients must treat it as opaque; that it can be read helps whoever looks into a problem.
#pragma once

#include <optional>
#include <string>

#include "engine/base/bytes.h"
#include "engine/base/keyed_hash.h"
#include "engine/channel/clock.h"

namespace millrace {

std::string issue_receipt(const HashKey& key, ByteView channel, ByteView subscriber, Clock clock);

// The clock of a receipt that was issued with this key for this channel and subscriber;
// nothing for any other bytes.
std::optional<Clock> read_receipt(const HashKey& key, ByteView channel, ByteView subscriber, ByteView receipt);

}  // namespace millrace
