// The answer of a dispatch as bytes. It is stored with the dispatch's id, so that a dispatch that is sent again gets
// the same answer.
//
//   answer := { transport devices offset }*     the transport is a size and bytes; offset 0: no log was named
//
// All numbers are varints. Do not change: persisted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/strong.h"

namespace millrace {

struct DispatchedTransport {
  std::string transport;
  uint64_t devices = 0;
  std::optional<Offset> offset;  // nullopt: the request had no log for this transport
};

std::string dispatch_answer(const std::vector<DispatchedTransport>& transports);
// REQUIRES: is_dispatch(…, bytes)
std::vector<DispatchedTransport> read_dispatch_answer(ByteView bytes);
// Whether bytes from outside are the id and the answer of a dispatch.
bool is_dispatch(ByteView id, ByteView answer);

}  // namespace millrace
