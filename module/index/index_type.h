// The index as a key type of the host.
#pragma once

#include "engine/index/index_parts.h"
#include "module/abi/data_type.h"
#include "module/runtime/hash_key.h"
#include "module/runtime/type_in_parts.h"

namespace millrace::module {

// The command that carries the parts of an index to the AOF.
inline constexpr const char* kApplyToIndex = "IDX.APPLY";

}  // namespace millrace::module

namespace millrace::abi {

template <>
struct TypeTraits<Index> : module::TypeInParts<Index> {
  static constexpr const char* kName = "millr-idx";
  static constexpr int kEncodingVersion = 1;
  static constexpr module::SavedType kSaved{"index", "index", module::kApplyToIndex, kIndexParts};
  static IndexRestorer restorer() { return IndexRestorer(module::hash_key()); }
  static uint64_t free_effort(const Index& index) { return index.parts() + 1; }
  static void arrived(const KeyPlace& place, Hosted<Index>& value);
  static void left(const KeyPlace& place, Hosted<Index>& value);
  static void release(Index& index);
};

}  // namespace millrace::abi

namespace millrace::module {

using IndexKey = abi::TypedKey<Index>;

}  // namespace millrace::module
