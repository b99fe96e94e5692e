// A request to the index of Millrace keys, as a plain value. The views must live as long as the request.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/base/bytes.h"
#include "engine/keys/key_names.h"

namespace millrace {

struct KeysRequest {
  std::optional<KeyType> type = {};
  std::optional<ByteView> pattern = {};
  std::optional<ByteView> after = {};  // the cursor: a name
  uint64_t count = 100;
  bool with_info = false;
};

}  // namespace millrace
