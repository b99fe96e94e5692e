// The index as a key type of the host.
#pragma once

#include "engine/index/index.h"
#include "module/abi/data_type.h"

namespace millrace::abi {

template <>
struct TypeTraits<Index> {
  static constexpr const char* kName = "millr-idx";
  static constexpr int kEncodingVersion = 1;
  static std::unique_ptr<Index> load(RdbReader& reader, int version);
  static void save(RdbWriter& writer, const Index& index);
  static void rewrite(AofWriter& writer, const Index& index);
  static void digest(DigestWriter& writer, const Index& index);
  static uint64_t memory(const Index& index) { return index.memory(); }
  static uint64_t free_effort(const Index& index) { return index.documents().size() + 1; }
  static std::unique_ptr<Index> copy(const Index& index);
  static void left(const KeyPlace& place, const Index& index);
  static void release(std::unique_ptr<Index> index);
};

}  // namespace millrace::abi

namespace millrace::module {

using IndexKey = abi::TypedKey<Index>;

// For the names of documents in all indexes of this process: see Index.
const HashKey& index_hash_key();

// The command that carries the parts of an index to the AOF.
inline constexpr const char* kApplyToIndex = "IDX.APPLY";

}  // namespace millrace::module
