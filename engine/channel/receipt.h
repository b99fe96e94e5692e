// A receipt says: this subscriber of this channel was given everything up to this clock,
// where this message was. It is printable, and worth nothing for any other channel or
// subscriber:
//
//   42.5be0cd19.9f86d081884c7d65
//   `' `------' `--------------'
//   |     |      keyed hash of channel, subscriber, clock and mark, 16 hexadecimal digits
//   |     the mark of the message at that clock, 8 digits
//   the clock
//
// Clients must treat it as opaque; that it can be read helps people who look into a problem.
#pragma once

#include <optional>
#include <string>

#include "engine/base/bytes.h"
#include "engine/base/keyed_hash.h"
#include "engine/channel/clock.h"

namespace millrace {

struct Receipt {
  Clock clock;
  // Of the message itself. A channel that was put back to an earlier state, by a failover
  // for example, may have another message at that clock by now.
  uint32_t mark = 0;

  friend bool operator==(const Receipt&, const Receipt&) = default;
};

std::string issue_receipt(const HashKey& key, ByteView channel, ByteView subscriber, Receipt receipt);

// What was issued with this key for this channel and subscriber; nothing for any other
// bytes.
std::optional<Receipt> read_receipt(const HashKey& key, ByteView channel, ByteView subscriber, ByteView receipt);

}  // namespace millrace
