// Identifies a message in a log's schedule, from the write until its date: "1700000000000-17". Messages become due in
// the order of their tickets.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "engine/base/strong.h"

namespace millrace {

struct Ticket {
  UnixMs date;          // when the message is due
  uint64_t number = 0;  // sequence number of scheduled messages in the log, from 1 on

  friend auto operator<=>(const Ticket&, const Ticket&) = default;
};

// Limit of both parts, so that a schedule stores them in twelve bytes: dates up to the year 10,889.
inline constexpr uint64_t kMaxTicketPart = (uint64_t{1} << 48) - 1;

inline std::string text_of(const Ticket& ticket) {
  return std::to_string(ticket.date.value()) + "-" + std::to_string(ticket.number);
}

}  // namespace millrace
