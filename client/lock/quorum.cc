#include "client/lock/quorum.h"

#include <algorithm>

namespace millrace::client {

void Quorum::granted(std::optional<uint64_t> token) {
  ++granted_;
  if (token) tokens_.push_back(*token);
}

std::optional<uint64_t> Quorum::token() const {
  if (!is_reached() || tokens_.size() != granted_) return std::nullopt;
  std::vector<uint64_t> rising = tokens_;
  std::ranges::sort(rising);
  return rising[majority_of(servers_) - 1];
}

}  // namespace millrace::client
