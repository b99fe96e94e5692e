// From a hash to the values that have it: a table that grows and shrinks one bucket at a
// time (linear hashing), so that no single insertion ever pays for moving all the others.
//
//   buckets   0   1   2   3 | 4   5        six of them: 0 and 1 have been split
//             `-------------' `---'        already, 2 and 3 come next
//   hash & 7 = 5  ->  5
//   hash & 7 = 6  ->  not there yet, so it is still with hash & 3 = 2
//
// It stores no keys: the caller decides which of the values with a hash is the right one. It does not own what the
// values refer to either. A value whose object no longer exists may stay until its bucket is next changed; the caller's
// lives(value) says which values are still in use.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace millrace {

// A filter that a bucket has besides its entries: none, or 128 bits beside the pointer that can tell that a hash is not
// in the bucket. With it, nine of ten unsuccessful searches touch one cache line. Useful for an index in which most
// searches find nothing.
struct NoBucketFilter {
  void add(uint32_t) {}
  bool may_have(uint32_t) const { return true; }
};
class BucketFilter {
 public:
  // A Bloom filter with two bits for each hash. The low bits of all hashes of a bucket are the same.
  void add(uint32_t hash) {
    const uint32_t mixed = mix(hash);
    bits_[mixed >> 31] |= uint64_t{1} << (mixed >> 25 & 63);
    bits_[mixed >> 24 & 1] |= uint64_t{1} << (mixed >> 18 & 63);
  }
  bool may_have(uint32_t hash) const {
    const uint32_t mixed = mix(hash);
    return (bits_[mixed >> 31] >> (mixed >> 25 & 63) & bits_[mixed >> 24 & 1] >> (mixed >> 18 & 63) & 1) != 0;
  }

 private:
  static uint32_t mix(uint32_t hash) { return hash * 0x9E3779B1U; }

  uint64_t bits_[2] = {};
};

// Values are small and trivially copied: numbers, pointers, iterators.
template <class Value, class Filter = NoBucketFilter>
class HashIndex {
  static_assert(std::is_trivially_copyable_v<Value>);

 public:
  // The largest average number of entries per bucket. A search scans the whole bucket: 24 entries are three to six
  // cache lines.
  static constexpr size_t kFull = 24;

  HashIndex() = default;
  HashIndex(HashIndex&&) noexcept = default;
  HashIndex& operator=(HashIndex&&) noexcept = default;

  HashIndex clone() const {
    HashIndex copy;
    copy.buckets_.reserve(buckets_.size());
    for (const Bucket& bucket : buckets_) copy.buckets_.push_back(bucket.clone());
    copy.size_ = size_;
    return copy;
  }

  // The number of entries, including dead ones that have not been swept yet.
  size_t size() const { return size_; }

  // The value with this hash for which is_it(value), or null. Valid until the next change.
  template <class IsIt>
  Value* find(uint32_t hash, IsIt is_it) {
    if (buckets_.empty()) return nullptr;
    const Bucket& bucket = buckets_[bucket_of(hash)];
    if (!bucket.may_have(hash)) return nullptr;
    for (Entry& entry : bucket.entries()) {
      if (entry.hash == hash && is_it(entry.value)) return &entry.value;
    }
    return nullptr;
  }
  template <class IsIt>
  const Value* find(uint32_t hash, IsIt is_it) const {
    return const_cast<HashIndex*>(this)->find(hash, is_it);
  }

  // Calls visit(value) for every value with this hash.
  template <class Visit>
  void each(uint32_t hash, Visit visit) const {
    if (buckets_.empty()) return;
    for (const Entry& entry : buckets_[bucket_of(hash)].entries()) {
      if (entry.hash == hash) visit(entry.value);
    }
  }

  // Calls visit(value) for every value, in no particular order.
  template <class Visit>
  void each(Visit visit) const {
    for (const Bucket& bucket : buckets_) {
      for (const Entry& entry : bucket.entries()) visit(entry.value);
    }
  }

  // How many values have this hash, or `most` if more.
  size_t count(uint32_t hash, size_t most) const {
    if (buckets_.empty()) return 0;
    size_t found = 0;
    for (const Entry& entry : buckets_[bucket_of(hash)].entries()) {
      if (entry.hash == hash && ++found == most) break;
    }
    return found;
  }

  // A hint that this hash will be looked up soon. A caller with several lookups first prefetches all buckets, then
  // their contents. Always inlined: GCC 12 treats a function that only prefetches as one without effects, and drops its
  // calls.
  [[gnu::always_inline]] void prefetch_bucket(uint32_t hash) const {
    if (!buckets_.empty()) __builtin_prefetch(&buckets_[bucket_of(hash)]);
  }
  [[gnu::always_inline]] void prefetch_entries(uint32_t hash) const {
    if (buckets_.empty()) return;
    const Span entries = buckets_[bucket_of(hash)].entries();
    constexpr size_t kLine = 64;
    for (const Entry* at = entries.begin(); at < entries.end(); at += kLine / sizeof(Entry)) __builtin_prefetch(at);
  }

  // Adds a value. O(1), amortised. lives(value) says which of the existing values are still in use.
  template <class Lives>
  void insert(uint32_t hash, Value value, Lives lives) {
    if (buckets_.empty()) buckets_.emplace_back();
    Bucket& bucket = buckets_[bucket_of(hash)];
    if (bucket.is_full()) size_ -= bucket.sweep(lives);
    bucket.add({hash, value});
    ++size_;
    if (size_ > kFull * buckets_.size()) split_one(lives);
  }
  void insert(uint32_t hash, Value value) {
    insert(hash, value, [](const Value&) { return true; });
  }

  // True if the value was there.
  bool erase(uint32_t hash, const Value& value) {
    if (buckets_.empty()) return false;
    if (!buckets_[bucket_of(hash)].remove(hash, value)) return false;
    --size_;
    return true;
  }

  // Frees memory after many values were removed, one bucket per call. Call it with every change, or regularly where
  // values die. `living` is the number of values in use.
  template <class Lives>
  void shrink(size_t living, Lives lives) {
    if (living == 0) return clear();
    if (buckets_.size() > 1 && living < kSparse * buckets_.size()) merge_last(lives);
  }

  // Frees up to `count` buckets; false once there is none. REQUIRES: afterwards only free_some() and the destructor are
  // called.
  bool free_some(size_t count) {
    buckets_.resize(buckets_.size() - std::min(count, buckets_.size()));
    return !buckets_.empty();
  }

  // The same for values that own something: visit(value) frees it.
  template <class Visit>
  bool free_some(size_t count, Visit visit) {
    for (size_t i = buckets_.size() - std::min(count, buckets_.size()); i < buckets_.size(); ++i) {
      for (const Entry& entry : buckets_[i].entries()) visit(entry.value);
    }
    return free_some(count);
  }

  void clear() {
    buckets_ = std::vector<Bucket>();
    size_ = 0;
  }

  size_t memory() const {
    size_t bytes = buckets_.capacity() * sizeof(Bucket);
    for (const Bucket& bucket : buckets_) bytes += bucket.capacity() * sizeof(Entry);
    return bytes;
  }

  // Proves the invariants; for tests. Returns what is broken, or nullptr.
  const char* check() const {
    size_t count = 0;
    for (size_t i = 0; i < buckets_.size(); ++i) {
      for (const Entry& entry : buckets_[i].entries()) {
        if (bucket_of(entry.hash) != i) return "an entry is in the wrong bucket";
        if (!buckets_[i].may_have(entry.hash)) return "an entry that its bucket's filter denies";
        ++count;
      }
    }
    return count == size_ ? nullptr : "the size is not the number of entries";
  }

 private:
  static constexpr size_t kSparse = 8;

  struct Entry {
    uint32_t hash;
    Value value;
  };

  struct Span {
    Entry* first;
    Entry* last;
    Entry* begin() const { return first; }
    Entry* end() const { return last; }
  };

  class Bucket {
   public:
    Bucket clone() const {
      Bucket copy;
      copy.resize(size_);
      std::copy(entries().begin(), entries().end(), copy.entries_.get());
      copy.size_ = size_;
      copy.filter_ = filter_;
      return copy;
    }

    // False if no entry has this hash.
    bool may_have(uint32_t hash) const { return filter_.may_have(hash); }
    Span entries() const { return {entries_.get(), entries_.get() + size_}; }
    uint32_t capacity() const { return capacity_; }
    bool is_full() const { return size_ == capacity_; }

    void add(Entry entry) {
      if (is_full()) grow();
      entries_[size_++] = entry;
      filter_.add(entry.hash);
    }

    // Reserves room for this many entries, in one allocation. REQUIRES: it is empty
    void reserve(uint32_t count) {
      constexpr uint32_t kStep = 8;
      if (count > kStep) resize((count + kStep - 1) / kStep * kStep);
    }

    bool remove(uint32_t hash, const Value& value) {
      for (Entry& entry : entries()) {
        if (entry.hash != hash || entry.value != value) continue;
        entry = entries_[--size_];
        filter_anew();
        return true;
      }
      return false;
    }

    // Drops values that are no longer in use, and returns how many.
    template <class Lives>
    uint32_t sweep(Lives lives) {
      const Span all = entries();
      Entry* kept = std::remove_if(all.begin(), all.end(), [&](const Entry& entry) { return !lives(entry.value); });
      const uint32_t before = std::exchange(size_, static_cast<uint32_t>(kept - all.begin()));
      if (before != size_) filter_anew();
      return before - size_;
    }

   private:
    void filter_anew() {
      filter_ = {};
      for (const Entry& entry : entries()) filter_.add(entry.hash);
    }

    // Sizes that fill the size classes of common allocators. Values of one hash are never split,
    // so a bucket may become large.
    void grow() {
      if (capacity_ < 16) return resize(std::max(4U, capacity_ * 2));
      resize(capacity_ < 64 ? capacity_ + 8 : capacity_ + capacity_ / 2);
    }

    void resize(uint32_t capacity) {
      auto moved = std::make_unique_for_overwrite<Entry[]>(capacity);
      std::copy(entries().begin(), entries().end(), moved.get());
      entries_ = std::move(moved);
      capacity_ = capacity;
    }

    std::unique_ptr<Entry[]> entries_;
    uint32_t size_ = 0;
    uint32_t capacity_ = 0;
    [[no_unique_address]] Filter filter_;
  };

  // REQUIRES: there is a bucket.
  size_t bucket_of(uint32_t hash) const {
    const size_t mask = std::bit_ceil(buckets_.size()) - 1;
    const size_t wide = hash & mask;
    return wide < buckets_.size() ? wide : wide & (mask >> 1);
  }

  // The bucket that bucket number `i` is split from.
  static size_t origin_of(size_t i) { return i - std::bit_floor(i); }

  template <class Lives>
  void split_one(Lives lives) {
    const size_t origin = origin_of(buckets_.size());
    Bucket old = std::move(buckets_[origin]);
    buckets_[origin] = {};
    buckets_.emplace_back();
    const auto half = static_cast<uint32_t>(old.entries().last - old.entries().first) / 2;
    buckets_[origin].reserve(half);
    buckets_.back().reserve(half);
    distribute(old, lives);
  }

  template <class Lives>
  void merge_last(Lives lives) {
    Bucket last = std::move(buckets_.back());
    buckets_.pop_back();
    if (buckets_.capacity() > 4 * buckets_.size()) buckets_.shrink_to_fit();
    const size_t into = origin_of(buckets_.size());
    Bucket other = std::move(buckets_[into]);
    buckets_[into] = {};
    distribute(last, lives);
    distribute(other, lives);
  }

  template <class Lives>
  void distribute(const Bucket& from, Lives lives) {
    for (const Entry& entry : from.entries()) {
      if (lives(entry.value)) {
        buckets_[bucket_of(entry.hash)].add(entry);
      } else {
        --size_;
      }
    }
  }

  std::vector<Bucket> buckets_;
  size_t size_ = 0;
};

}  // namespace millrace
