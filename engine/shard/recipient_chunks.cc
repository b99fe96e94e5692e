#include "engine/shard/recipient_chunks.h"

#include <algorithm>
#include <bit>
#include <new>

namespace millrace {

RecipientChunks::~RecipientChunks() {
  each([&](RecipientId id) { at(id)->~Recipient(); });
}

RecipientId RecipientChunks::add(ByteView name) {
  const uint32_t size = Recipient::size_with(name);
  if (const auto free = free_.find(size); free != free_.end()) {
    const RecipientId id = free->second.back();
    free->second.pop_back();
    if (free->second.empty()) free_.erase(free);
    new (at(id)) Recipient(name);
    return id;
  }
  if (chunks_.empty() || chunks_.back().size - chunks_.back().used < size) add_chunk(size);
  Chunk& chunk = chunks_.back();
  new (chunk.bytes.get() + chunk.used) Recipient(name);
  const RecipientId id = id_of(static_cast<uint32_t>(chunks_.size() - 1), chunk.used);
  chunk.used += size;
  return id;
}

void RecipientChunks::remove(RecipientId id) {
  const uint32_t size = at(id)->size();
  at(id)->~Recipient();
  new (at(id)) Recipient(Recipient::Free(), size);
  free_[size].push_back(id);
}

uint64_t RecipientChunks::place_from(uint64_t number) const {
  const auto chunk = static_cast<uint32_t>(number >> 32);
  const auto wanted = static_cast<uint32_t>(number);
  uint32_t offset = 0;
  if (chunk < chunks_.size()) {
    while (offset < wanted && offset < chunks_[chunk].used) offset += at(id_of(chunk, offset))->size();
  }
  return uint64_t{chunk} << 32 | offset;
}

size_t RecipientChunks::memory() const {
  size_t bytes = bytes_ + chunks_.capacity() * sizeof(Chunk);
  constexpr size_t kMapNode = 32;
  for (const auto& [size, places] : free_) {
    bytes += kMapNode + sizeof(size) + sizeof(places) + places.capacity() * sizeof(RecipientId);
  }
  return bytes;
}

void RecipientChunks::add_chunk(uint32_t at_least) {
  const size_t share = std::clamp<size_t>(std::bit_floor(bytes_ / 8), std::min<size_t>(bytes_, kSmall), kLargest);
  const auto size = static_cast<uint32_t>(std::max<size_t>(share, std::bit_ceil(at_least)));
  chunks_.push_back({std::make_unique_for_overwrite<char[]>(size), 0, size});
  bytes_ += size;
}

ByteView RecipientChunks::name_if_any(RecipientId id) const {
  if (chunk_of(id) >= chunks_.size()) return {};
  const uint32_t used = chunks_[chunk_of(id)].used;
  if (used < offset_of(id) + sizeof(Recipient) || used < offset_of(id) + at(id)->size()) return {};
  return at(id)->name();
}

}  // namespace millrace
