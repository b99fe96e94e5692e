// Where a search continues: the last entry that was looked at, as text that clients send back. Writes do not move an
// entry. So a document whose entry stays the same during the search is found exactly once.
#pragma once

#include <optional>
#include <string>

#include "engine/base/bytes.h"
#include "engine/base/error.h"
#include "engine/index/index_ids.h"

namespace millrace {

struct IndexCursor {
  uint32_t index = 0;            // the number of the index (index.h)
  std::optional<OrderId> order;  // nullopt: documents by their ids
  bool is_reversed = false;
  std::string entry;

  // The cursor as hexadecimal digits.
  std::string text() const;
  // Failure: Range
  static Result<IndexCursor> parse(ByteView text);
};

}  // namespace millrace
