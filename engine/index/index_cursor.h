// Where a search goes on: the last entry that was looked at, in words that clients send back. An entry keeps its place
// whatever is written, so that nothing that stayed is missed, and nothing that kept its place is found twice.
#pragma once

#include <optional>
#include <string>

#include "engine/base/bytes.h"
#include "engine/base/error.h"
#include "engine/index/index_ids.h"

namespace millrace {

struct IndexCursor {
  uint32_t index = 0;            // the number of the index (index.h)
  std::optional<OrderId> order;  // nothing: documents by their ids
  bool is_reversed = false;
  std::string entry;

  // Hexadecimal digits.
  std::string text() const;
  // Failure: Range
  static Result<IndexCursor> parse(ByteView text);
};

}  // namespace millrace
