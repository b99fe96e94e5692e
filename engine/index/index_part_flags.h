// Numbers in the parts of an index: index_parts.cc writes them, index_restore.cc reads them.
#pragma once

#include <cstdint>

namespace millrace {

// Do not change: persisted.
inline constexpr uint64_t kIndexVersion = 1;
inline constexpr uint64_t kJsonIndexFlag = 1;
inline constexpr uint64_t kNoCaseFieldFlag = 1;
inline constexpr uint64_t kUniqueFieldFlag = 2;

}  // namespace millrace
