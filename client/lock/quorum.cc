#include "client/lock/quorum.h"

#include <algorithm>

namespace millrace::client {

void Quorum::granted(std::optional<uint64_t> token) {
  ++granted_;
  if (!token) return;
  ++with_token_;
  token_ = std::max(token_.value_or(0), *token);
}

}  // namespace millrace::client
