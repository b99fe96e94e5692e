// A sorted sequence in chunks of up to 64 entries: an ordered map without nodes. A
// million entries cost their own bytes and half a byte each, where a tree of nodes
// would cost 40 more.
//
// Finding, adding and removing take O(log n) plus the move of part of a chunk; every
// thirty-second or so also moves part of the list of chunks (16 bytes for each 64
// entries). Entries added in ascending order fill chunks completely, and taking from the
// front is cheap: the two patterns that messages have.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace millrace {

// `key_of` returns an entry's key; no two entries have the same key.
template <class Entry, auto key_of>
class OrderedChunks {
 public:
  using Key = decltype(key_of(std::declval<const Entry&>()));

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }

  // REQUIRES: !empty()
  const Entry& front() const { return chunks_[head_].entries.front(); }
  const Entry& back() const { return chunks_.back().entries.back(); }

  // The entry with this key, or null. Valid until the next change.
  Entry* find(Key key) {
    Entry* entry = floor(key);
    return entry != nullptr && key_of(*entry) == key ? entry : nullptr;
  }

  // The last entry whose key is at most `key`, or null.
  Entry* floor(Key key) {
    if (empty()) return nullptr;
    auto& entries = chunks_[chunk_for(key)].entries;
    auto above = std::ranges::upper_bound(entries, key, {}, key_of);
    return above == entries.begin() ? nullptr : &*(above - 1);
  }

  // The first entry whose key is at least `key`, or null.
  Entry* ceiling(Key key) {
    if (empty()) return nullptr;
    size_t i = chunk_for(key);
    auto found = std::ranges::lower_bound(chunks_[i].entries, key, {}, key_of);
    if (found != chunks_[i].entries.end()) return &*found;
    return i + 1 < chunks_.size() ? &chunks_[i + 1].entries.front() : nullptr;
  }
  const Entry* ceiling(Key key) const { return const_cast<OrderedChunks*>(this)->ceiling(key); }

  // REQUIRES: no entry has its key.
  void insert(Entry entry) {
    ++size_;
    const Key key = key_of(entry);
    if (chunks_.size() == head_) {
      chunks_.push_back({key, {entry}});
      return;
    }
    const size_t i = chunk_for(key);
    std::vector<Entry>& entries = chunks_[i].entries;
    if (entries.size() == kCapacity) return insert_into_full(i, entry);
    entries.insert(std::ranges::upper_bound(entries, key, {}, key_of), entry);
    chunks_[i].first = key_of(entries.front());
  }

  // True if there was such an entry.
  bool erase(Key key) {
    if (empty()) return false;
    const size_t i = chunk_for(key);
    std::vector<Entry>& entries = chunks_[i].entries;
    auto found = std::ranges::lower_bound(entries, key, {}, key_of);
    if (found == entries.end() || key_of(*found) != key) return false;
    entries.erase(found);
    --size_;
    if (entries.empty()) {
      drop_chunk(i);
    } else {
      chunks_[i].first = key_of(entries.front());
      // Try the previous chunk too: when entries are erased in ascending order, the next chunk is still full.
      if (entries.size() < kCapacity / 4 && !merge_with_next(i) && i > head_) merge_with_next(i - 1);
    }
    return true;
  }

  void clear() { *this = {}; }

  // Frees up to `count` chunks; false once nothing is left.
  // REQUIRES: afterwards only free_some() and the destructor are called.
  bool free_some(size_t count) {
    for (; count > 0 && !chunks_.empty(); --count) chunks_.pop_back();
    return !chunks_.empty();
  }

  // Removes the entries with keys in [from, to) for which leaves(entry) is true. leaves() may change the other entries,
  // but not their keys. Cost: O(entries in the range) plus a move of the list of chunks. For many entries that is a
  // fraction of the cost of an erase() for each.
  template <class Leaves>
  void erase_if(Key from, Key to, Leaves leaves) {
    if (empty() || !(from < to)) return;
    size_t i = chunk_for(from);
    size_t kept = i;  // chunks up to here stay as they are; later ones that have entries move up after them
    for (; i < chunks_.size() && chunks_[i].first < to; ++i) {
      if (i + kAhead < chunks_.size()) prefetch(chunks_[i + kAhead]);
      std::vector<Entry>& entries = chunks_[i].entries;
      const auto begin = std::ranges::lower_bound(entries, from, {}, key_of);
      const auto end = std::ranges::lower_bound(begin, entries.end(), to, {}, key_of);
      auto gone = begin;
      for (auto at = begin; at != end; ++at) {
        if (leaves(*at)) continue;
        if (gone != at) *gone = *at;
        ++gone;
      }
      size_ -= static_cast<size_t>(end - gone);
      entries.erase(gone, end);
      keep_chunk(i, kept);
    }
    if (kept == i) return;
    // Those behind are moved without a look at their entries, which are in no cache.
    chunks_.erase(chunks_.begin() + static_cast<ptrdiff_t>(kept), chunks_.begin() + static_cast<ptrdiff_t>(i));
    if (chunks_.size() == head_) clear();
    if (chunks_.capacity() > 4 * chunks_.size() + 16) chunks_.shrink_to_fit();
  }
  // The same for all entries.
  template <class Leaves>
  void erase_if(Leaves leaves) {
    if (empty()) return;
    const Entry last = back();
    erase_if(key_of(front()), key_of(last), leaves);
    // The range [first, last) does not include the last entry.
    if (leaves(last)) erase(key_of(last));
  }

  // About how many entries are from `from` up to `to`: all of the chunks between. O(log n)
  size_t about_between(Key from, Key to) const {
    if (empty() || !(from < to)) return 0;
    const size_t chunks = chunk_for(to) - chunk_for(from);
    return chunks * (size_ / (chunks_.size() - head_));
  }

  // The entry that has `count` entries before it from `from` on; null if there are no more than that. Cost: O(log n +
  // count / 64); of the entries passed, only those of the first chunk are looked at.
  const Entry* after(Key from, size_t count) const {
    if (empty()) return nullptr;
    size_t i = chunk_for(from);
    count += static_cast<size_t>(std::ranges::lower_bound(chunks_[i].entries, from, {}, key_of) -
                                 chunks_[i].entries.begin());
    for (; i < chunks_.size(); ++i) {
      if (count < chunks_[i].entries.size()) return &chunks_[i].entries[count];
      count -= chunks_[i].entries.size();
    }
    return nullptr;
  }

  // In order; `visit` must not change the sequence.
  template <class Visit>
  void each(Visit visit) const {
    for (size_t i = head_; i < chunks_.size(); ++i) {
      for (const Entry& entry : chunks_[i].entries) visit(entry);
    }
  }
  // The same from the first entry on whose key is at least `from`, until visit returns false.
  template <class Visit>
  void each_from(Key from, Visit visit) const {
    if (empty()) return;
    size_t i = chunk_for(from);
    auto at = std::ranges::lower_bound(chunks_[i].entries, from, {}, key_of);
    for (;;) {
      for (; at != chunks_[i].entries.end(); ++at) {
        if (!visit(*at)) return;
      }
      if (++i == chunks_.size()) return;
      at = chunks_[i].entries.begin();
    }
  }

  size_t memory() const {
    size_t bytes = chunks_.capacity() * sizeof(Chunk);
    for (size_t i = head_; i < chunks_.size(); ++i) bytes += chunks_[i].entries.capacity() * sizeof(Entry);
    return bytes;
  }

  // Proves the invariants; for tests. Returns what is broken, or nullptr.
  const char* check() const {
    size_t count = 0;
    const Entry* before = nullptr;
    const char* broken = nullptr;
    for (size_t i = head_; i < chunks_.size(); ++i) {
      if (chunks_[i].entries.empty()) return "an empty chunk";
      if (chunks_[i].first != key_of(chunks_[i].entries.front())) return "a chunk does not know its first key";
    }
    each([&](const Entry& entry) {
      if (before != nullptr && !(key_of(*before) < key_of(entry))) broken = "entries out of order";
      before = &entry;
      ++count;
    });
    return broken != nullptr ? broken : count == size_ ? nullptr : "the size is wrong";
  }

 private:
  static constexpr size_t kCapacity = 64;

  // A pass over many chunks fetches this many ahead: they are anywhere in memory.
  static constexpr size_t kAhead = 2;

  struct Chunk {
    Key first;
    std::vector<Entry> entries;
  };

  static void prefetch(const Chunk& chunk) {
    constexpr size_t kLine = 64;
    const char* const begin = reinterpret_cast<const char*>(chunk.entries.data());
    for (size_t at = 0; at < chunk.entries.size() * sizeof(Entry); at += kLine) __builtin_prefetch(begin + at);
  }

  // The chunk where `key` is or belongs. REQUIRES: there is a chunk.
  size_t chunk_for(Key key) const {
    auto begin = chunks_.begin() + static_cast<ptrdiff_t>(head_);
    auto above = std::upper_bound(begin, chunks_.end(), key, [](Key k, const Chunk& c) { return k < c.first; });
    return static_cast<size_t>((above == begin ? above : above - 1) - chunks_.begin());
  }

  void insert_into_full(size_t i, const Entry& entry) {
    const Key key = key_of(entry);
    const auto behind = chunks_.begin() + static_cast<ptrdiff_t>(i) + 1;
    // The key is after all others: the full chunk stays full.
    if (i + 1 == chunks_.size() && key_of(chunks_[i].entries.back()) < key) {
      chunks_.push_back({key, {entry}});
      return;
    }
    std::vector<Entry>& lower = chunks_[i].entries;
    std::vector<Entry> upper(lower.begin() + kCapacity / 2, lower.end());
    lower.resize(kCapacity / 2);
    std::vector<Entry>& target = key < key_of(upper.front()) ? lower : upper;
    target.insert(std::ranges::upper_bound(target, key, {}, key_of), entry);
    chunks_[i].first = key_of(lower.front());
    const Key upper_first = key_of(upper.front());
    chunks_.insert(behind, Chunk{upper_first, std::move(upper)});
  }

  void drop_chunk(size_t i) {
    if (i == head_) {
      chunks_[head_++].entries = {};
      if (head_ * 2 > chunks_.size()) {
        chunks_.erase(chunks_.begin(), chunks_.begin() + static_cast<ptrdiff_t>(head_));
        head_ = 0;
      }
    } else {
      chunks_.erase(chunks_.begin() + static_cast<ptrdiff_t>(i));
    }
    if (chunks_.capacity() > 4 * chunks_.size() + 16) chunks_.shrink_to_fit();
  }

  // For erase_if: moves chunk i after the kept ones, or its entries into the last kept one.
  void keep_chunk(size_t i, size_t& kept) {
    std::vector<Entry>& entries = chunks_[i].entries;
    if (entries.empty()) return void(entries = {});
    if (kept > head_ && chunks_[kept - 1].entries.size() + entries.size() <= kCapacity * 3 / 4) {
      std::vector<Entry>& last = chunks_[kept - 1].entries;
      last.insert(last.end(), entries.begin(), entries.end());
      return void(entries = {});
    }
    chunks_[i].first = key_of(entries.front());
    if (kept != i) chunks_[kept] = std::move(chunks_[i]);
    ++kept;
  }

  // Merges sparse chunks, which frees memory. False if the entries of both do not fit into one.
  bool merge_with_next(size_t i) {
    if (i + 1 >= chunks_.size()) return false;
    std::vector<Entry>& entries = chunks_[i].entries;
    std::vector<Entry>& next = chunks_[i + 1].entries;
    if (entries.size() + next.size() > kCapacity * 3 / 4) return false;
    entries.insert(entries.end(), next.begin(), next.end());
    drop_chunk(i + 1);
    return true;
  }

  std::vector<Chunk> chunks_;  // [0, head_) have been dropped
  size_t head_ = 0;
  size_t size_ = 0;
};

}  // namespace millrace
