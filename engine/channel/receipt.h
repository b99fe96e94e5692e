// A receipt says that a subscriber of a channel was given everything up to a clock, and which message was there. It is
// printable, and not valid for any other channel or subscriber:
//
//   42.5be0cd19.9f86d081884c7d65
//   `' `------' `--------------'
//   |     |      keyed hash of channel, subscriber, clock and mark, 16 hexadecimal digits
//   |     the mark of the message at that clock, 8 digits
//   the clock
//
// Clients must treat it as opaque; it is readable to help people who debug a problem.
#pragma once

#include <optional>
#include <string>

#include "engine/base/bytes.h"
#include "engine/base/keyed_hash.h"
#include "engine/channel/clock.h"

namespace millrace {

struct Receipt {
  Clock clock;
  // The mark of the message itself. A channel that was put back to an earlier state, by a failover for example, may now
  // have another message at that clock.
  uint32_t mark = 0;

  friend bool operator==(const Receipt&, const Receipt&) = default;
};

std::string issue_receipt(const HashKey& key, ByteView channel, ByteView subscriber, Receipt receipt);

// The receipt, if it was issued with this key for this channel and subscriber; else nullopt.
std::optional<Receipt> read_receipt(const HashKey& key, ByteView channel, ByteView subscriber, ByteView receipt);

}  // namespace millrace
