#include "engine/base/byte_order.h"

#include <algorithm>
#include <utility>

namespace millrace {

ByteOrder ByteOrder::clone() const {
  ByteOrder copy;
  copy.size_ = size_;
  copy.chunk_bytes_ = chunk_bytes_;
  copy.groups_.reserve(groups_.size());
  for (const auto& group : groups_) {
    Group& made = *copy.groups_.emplace_back(std::make_unique<Group>());
    made.count = group->count;
    made.chunks.reserve(group->chunks.size());
    for (const ByteChunk& chunk : group->chunks) made.chunks.push_back(chunk.clone());
  }
  return copy;
}

ByteOrder::Place ByteOrder::place_of(ByteView entry) const {
  const uint64_t head = ByteChunk::head_of(entry);
  const auto group = std::partition_point(groups_.begin() + 1, groups_.end(), [&](const std::unique_ptr<Group>& each) {
    return !each->chunks.front().begins_after(entry, head);
  });
  const std::vector<ByteChunk>& chunks = (*(group - 1))->chunks;
  const auto chunk = std::partition_point(chunks.begin() + 1, chunks.end(),
                                          [&](const ByteChunk& each) { return !each.begins_after(entry, head); });
  return {static_cast<size_t>(group - groups_.begin()) - 1, static_cast<size_t>(chunk - chunks.begin()) - 1};
}

bool ByteOrder::insert(ByteView entry) {
  counts_before_.clear();
  if (size_ == 0) {
    groups_.clear();
    groups_.push_back(std::make_unique<Group>());
    ByteChunk& first = groups_.back()->chunks.emplace_back();
    first.insert(entry);
    chunk_bytes_ = first.memory();
    groups_.back()->count = size_ = 1;
    return true;
  }
  Place place = place_of(entry);
  ByteChunk* chunk = &groups_[place.group]->chunks[place.chunk];
  const size_t bytes_before = chunk->memory();
  if (chunk->is_full()) {
    const auto spot = chunk->lower_bound(entry);
    if (chunk->is_equal(spot, entry)) return false;
    const bool is_last = place.group + 1 == groups_.size() && place.chunk + 1 == groups_.back()->chunks.size();
    // The entry is after all others: the full chunk stays full.
    ByteChunk upper;
    if (!is_last || spot.index < chunk->count()) upper = chunk->split();
    const bool goes_up = upper.count() == 0 || !upper.begins_after(entry, ByteChunk::head_of(entry));
    ByteChunk& target = goes_up ? upper : *chunk;
    groups_[place.group]->count -= upper.count();  // add_chunk() counts them again
    target.insert(entry);
    if (!goes_up) ++groups_[place.group]->count;
    chunk_bytes_ += chunk->memory() + upper.memory() - bytes_before;
    add_chunk(place, std::move(upper));
    ++size_;
    return true;
  }
  if (!chunk->insert(entry)) return false;
  chunk_bytes_ += chunk->memory() - bytes_before;
  ++groups_[place.group]->count;
  ++size_;
  return true;
}

void ByteOrder::add_chunk(Place behind, ByteChunk chunk) {
  Group& group = *groups_[behind.group];
  group.count += chunk.count();
  group.chunks.insert(group.chunks.begin() + static_cast<ptrdiff_t>(behind.chunk) + 1, std::move(chunk));
  if (group.chunks.size() <= kMostChunks) return;
  auto upper = std::make_unique<Group>();
  const bool is_last = behind.group + 1 == groups_.size() && behind.chunk + 2 == group.chunks.size();
  const auto from = group.chunks.begin() + static_cast<ptrdiff_t>(is_last ? kMostChunks : kMostChunks / 2);
  upper->chunks.assign(std::make_move_iterator(from), std::make_move_iterator(group.chunks.end()));
  group.chunks.erase(from, group.chunks.end());
  for (const ByteChunk& moved : upper->chunks) upper->count += moved.count();
  group.count -= upper->count;
  groups_.insert(groups_.begin() + static_cast<ptrdiff_t>(behind.group) + 1, std::move(upper));
}

bool ByteOrder::erase(ByteView entry) {
  if (size_ == 0) return false;
  counts_before_.clear();
  const Place place = place_of(entry);
  ByteChunk& chunk = groups_[place.group]->chunks[place.chunk];
  if (!chunk.erase(entry)) return false;
  --groups_[place.group]->count;
  --size_;
  if (chunk.count() == 0) {
    drop_chunk(place);
  } else if (chunk.count() < kSparse) {
    unite(place);
  }
  return true;
}

void ByteOrder::drop_chunk(Place place) {
  std::vector<ByteChunk>& chunks = groups_[place.group]->chunks;
  chunk_bytes_ -= chunks[place.chunk].memory();
  chunks.erase(chunks.begin() + static_cast<ptrdiff_t>(place.chunk));
  if (chunks.empty()) groups_.erase(groups_.begin() + static_cast<ptrdiff_t>(place.group));
}

// Merges with a neighbour of the same group.
void ByteOrder::unite(Place place) {
  std::vector<ByteChunk>& chunks = groups_[place.group]->chunks;
  for (size_t first : {place.chunk, place.chunk - 1}) {
    if (first >= chunks.size() || first + 1 >= chunks.size()) continue;
    ByteChunk& lower = chunks[first];
    const ByteChunk& upper = chunks[first + 1];
    if (lower.count() + upper.count() > kUnited || lower.memory() + upper.memory() > ByteChunk::kMostBytes) continue;
    const size_t bytes_before = lower.memory();
    lower.absorb(upper);
    chunk_bytes_ += lower.memory() - bytes_before;
    return drop_chunk({place.group, first + 1});
  }
}

bool ByteOrder::contains(ByteView entry) const {
  if (size_ == 0) return false;
  const Place place = place_of(entry);
  const ByteChunk& chunk = groups_[place.group]->chunks[place.chunk];
  return chunk.is_equal(chunk.lower_bound(entry), entry);
}

const std::vector<uint64_t>& ByteOrder::counts_before() const {
  if (!counts_before_.empty()) return counts_before_;
  counts_before_.reserve(groups_.size());
  uint64_t before = 0;
  for (const auto& group : groups_) {
    counts_before_.push_back(before);
    before += group->count;
  }
  return counts_before_;
}

uint64_t ByteOrder::rank(ByteView bound) const {
  if (size_ == 0) return 0;
  const Place place = place_of(bound);
  uint64_t before = counts_before()[place.group];
  const std::vector<ByteChunk>& chunks = groups_[place.group]->chunks;
  for (size_t i = 0; i < place.chunk; ++i) before += chunks[i].count();
  return before + chunks[place.chunk].lower_bound(bound).index;
}

void ByteOrder::at_rank(uint64_t rank, std::string& entry) const {
  const std::vector<uint64_t>& before = counts_before();
  const auto group = static_cast<size_t>(std::ranges::upper_bound(before, rank) - before.begin()) - 1;
  rank -= before[group];
  auto chunk = groups_[group]->chunks.begin();
  for (; rank >= chunk->count(); ++chunk) rank -= chunk->count();
  chunk->read(chunk->spot_of(rank), entry);
}

void ByteOrder::Walk::take() {
  is_at_entry_ = true;
  order_.groups_[group_]->chunks[chunk_].read(spot_, entry_);
}

void ByteOrder::Walk::seek(ByteView bound) {
  is_at_entry_ = false;
  if (order_.size_ == 0) return;
  const Place place = order_.place_of(bound);
  group_ = place.group;
  chunk_ = place.chunk;
  const ByteChunk& chunk = order_.groups_[group_]->chunks[chunk_];
  spot_ = chunk.lower_bound(bound);
  if (spot_.index < chunk.count()) return take();
  spot_.index = static_cast<uint32_t>(chunk.count()) - 1;
  spot_ = chunk.spot_of(spot_.index);
  next();
}

void ByteOrder::Walk::seek_before(ByteView bound) {
  seek(bound);
  is_at_entry_ ? previous() : seek_last();
}

void ByteOrder::Walk::seek_last() {
  is_at_entry_ = false;
  if (order_.size_ == 0) return;
  group_ = order_.groups_.size() - 1;
  chunk_ = order_.groups_[group_]->chunks.size() - 1;
  const ByteChunk& chunk = order_.groups_[group_]->chunks[chunk_];
  spot_ = chunk.spot_of(chunk.count() - 1);
  take();
}

void ByteOrder::Walk::next() {
  const std::vector<ByteChunk>* chunks = &order_.groups_[group_]->chunks;
  if (spot_.index + 1 < (*chunks)[chunk_].count()) {
    spot_ = (*chunks)[chunk_].after(spot_);
    return take();
  }
  if (chunk_ + 1 < chunks->size()) {
    ++chunk_;
  } else if (group_ + 1 < order_.groups_.size()) {
    chunks = &order_.groups_[++group_]->chunks;
    chunk_ = 0;
  } else {
    is_at_entry_ = false;
    return;
  }
  spot_ = (*chunks)[chunk_].first();
  take();
}

void ByteOrder::Walk::previous() {
  const std::vector<ByteChunk>* chunks = &order_.groups_[group_]->chunks;
  if (spot_.index > 0) {
    spot_ = (*chunks)[chunk_].spot_of(spot_.index - 1);
    return take();
  }
  if (chunk_ > 0) {
    --chunk_;
  } else if (group_ > 0) {
    chunks = &order_.groups_[--group_]->chunks;
    chunk_ = chunks->size() - 1;
  } else {
    is_at_entry_ = false;
    return;
  }
  const ByteChunk& chunk = (*chunks)[chunk_];
  spot_ = chunk.spot_of(chunk.count() - 1);
  take();
}

size_t ByteOrder::memory() const {
  size_t bytes = groups_.capacity() * sizeof(groups_[0]) + chunk_bytes_ + counts_before_.capacity() * sizeof(uint64_t);
  for (const auto& group : groups_) bytes += sizeof(Group) + group->chunks.capacity() * sizeof(ByteChunk);
  return bytes;
}

bool ByteOrder::free_some() {
  if (!groups_.empty()) groups_.pop_back();
  return !groups_.empty();
}

const char* ByteOrder::check() const {
  uint64_t total = 0;
  size_t bytes = 0;
  size_t at = 0;
  if (!counts_before_.empty() && counts_before_.size() != groups_.size()) return "groups are counted wrong";
  std::string before;
  std::string entry;
  for (const auto& group : groups_) {
    if (size_ > 0 && group->chunks.empty()) return "an empty group";
    uint64_t count = 0;
    for (const ByteChunk& chunk : group->chunks) {
      if (const char* broken = chunk.check()) return broken;
      chunk.read(chunk.first(), entry);
      if (total + count > 0 && !(before < entry)) return "chunks out of order";
      chunk.read(chunk.spot_of(chunk.count() - 1), before);
      count += chunk.count();
      bytes += chunk.memory();
    }
    if (count != group->count) return "a group with a wrong count";
    if (!counts_before_.empty() && counts_before_[at++] != total) return "the entries before a group are counted wrong";
    total += count;
  }
  if (bytes != chunk_bytes_) return "the bytes of the chunks are wrong";
  return total == size_ ? nullptr : "the size is wrong";
}

}  // namespace millrace
