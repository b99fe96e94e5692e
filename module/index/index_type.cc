#include "module/index/index_type.h"

#include <string>
#include <utility>

#include "engine/index/index_codec.h"
#include "module/index/index_registry.h"
#include "module/runtime/counters.h"
#include "module/runtime/failure_point.h"
#include "module/runtime/reclaim.h"

namespace millrace::module {

const HashKey& index_hash_key() {
  static const HashKey key = [] {
    HashKey random;
    abi::fill_with_randomness(random);
    return random;
  }();
  return key;
}

}  // namespace millrace::module

namespace millrace::abi {

namespace {

// Behind the last part of an index in an RDB file. Do not change: persisted.
constexpr char kEndOfIndex = '\x7f';

// A part travels as one string, its kind first.
Result<std::unique_ptr<Index>> load_index(RdbReader& reader) {
  auto index = std::make_unique<Index>(IndexSchema(), module::index_hash_key());
  while (true) {
    const auto bytes = reader.bytes();
    if (!bytes || bytes->size() == 0) return cut_short();
    const char kind = bytes->view().front();
    if (kind == kEndOfIndex) break;
    module::failure_point("index.load");
    auto restored = restore_index_part(*index, static_cast<IndexPart>(kind), bytes->view().substr(1));
    if (!restored) return std::unexpected(restored.error());
  }
  if (index->schema().fields().empty()) return corrupt("an index without a schema");
  return index;
}

class UnusedIndex final : public module::Reclaimable {
 public:
  explicit UnusedIndex(std::unique_ptr<Index> index) : index_(std::move(index)) {}
  bool free_some() override { return index_->free_some(); }

 private:
  std::unique_ptr<Index> index_;
};

}  // namespace

std::unique_ptr<Index> TypeTraits<Index>::load(RdbReader& reader, int version) {
  auto index = version == kEncodingVersion ? load_index(reader)
                                           : fail(ErrorCode::Corrupt, "written by a newer version of the module");
  if (!index) {
    ++module::counters.refused_payloads;
    reader.refuse("index", index.error());
    return nullptr;
  }
  module::index_registry::loaded({reader.database(), std::string(reader.key())}, index->get());
  return std::move(*index);
}

void TypeTraits<Index>::save(RdbWriter& writer, const Index& index) {
  each_index_part(index, [&](IndexPart part, ByteView bytes) {
    module::failure_point("index.save");
    writer.bytes(std::string(1, static_cast<char>(part)) + std::string(bytes));
  });
  writer.bytes(ByteView(&kEndOfIndex, 1));
}

void TypeTraits<Index>::rewrite(AofWriter& writer, const Index& index) {
  each_index_part(index, [&](IndexPart part, ByteView bytes) {
    module::failure_point("index.rewrite");
    writer.emit(module::kApplyToIndex, kIndexParts[static_cast<size_t>(part)], bytes);
  });
}

void TypeTraits<Index>::digest(DigestWriter& writer, const Index& index) { millrace::digest(index, writer); }

std::unique_ptr<Index> TypeTraits<Index>::copy(const Index& index) {
  auto made = std::make_unique<Index>(IndexSchema(), module::index_hash_key());
  each_index_part(index, [&](IndexPart part, ByteView bytes) { (void)restore_index_part(*made, part, bytes); });
  return made;
}

void TypeTraits<Index>::left(const KeyPlace& place, const Index&) {
  module::index_registry::remove({place.database, std::string(place.name)});
}

// In slices, wherever the host would free a large index in one piece.
void TypeTraits<Index>::release(std::unique_ptr<Index> index) {
  constexpr size_t kAtOnce = 1000;
  if (index->documents().size() <= kAtOnce || !module::may_reclaim_later()) return;
  module::reclaim(std::make_unique<UnusedIndex>(std::move(index)));
}

}  // namespace millrace::abi
