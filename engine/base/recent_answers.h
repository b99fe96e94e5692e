// The ids that were used last, each with a short text (an answer, an offset). A request that is sent again with the
// same id is answered from here and not executed twice. It is a window: when there are too many ids, or they take too
// much memory, the oldest are dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/hash_index.h"
#include "engine/base/keyed_hash.h"

namespace millrace {

class RecentAnswers {
 public:
  // Clients choose ids: the secret key prevents them from choosing ids that collide.
  RecentAnswers(const HashKey& key, size_t most, size_t most_bytes) : key_(key), most_(most), most_bytes_(most_bytes) {}

  size_t size() const { return entries_.size() - gone_; }

  // The text of an id; null if it is not in the window. Valid until the next change.
  const std::string* find(ByteView id) const {
    const auto is_it = [&](uint64_t number) { return entry(number).id == id; };
    const uint64_t* found = by_id_.find(hash(id), is_it);
    return found == nullptr ? nullptr : &entry(*found).text;
  }

  // REQUIRES: the id is not in the window
  void add(ByteView id, ByteView text) {
    by_id_.insert(hash(id), first_ + entries_.size());
    entries_.push_back({std::string(id), std::string(text)});
    bytes_ += size_of(entries_.back());
    while (size() > most_ || (bytes_ > most_bytes_ && size() > 1)) drop_oldest();
  }

  // Calls visit(id, text) for each, the oldest first.
  template <class Visit>
  void each(Visit visit) const {
    for (size_t i = gone_; i < entries_.size(); ++i) visit(ByteView(entries_[i].id), ByteView(entries_[i].text));
  }

  RecentAnswers clone() const {
    RecentAnswers copy(key_, most_, most_bytes_);
    copy.by_id_ = by_id_.clone();
    copy.entries_ = entries_;
    copy.gone_ = gone_;
    copy.first_ = first_;
    copy.bytes_ = bytes_;
    return copy;
  }

  uint64_t memory() const { return bytes_ + by_id_.memory(); }

  // Proves the invariants; for tests. Returns what is broken, or nullptr.
  const char* check() const {
    if (by_id_.size() != size()) return "not every id can be found";
    size_t bytes = 0;
    for (size_t i = gone_; i < entries_.size(); ++i) {
      if (find(entries_[i].id) != &entries_[i].text) return "an id is not found, or is there twice";
      bytes += size_of(entries_[i]);
    }
    return bytes == bytes_ ? by_id_.check() : "the bytes are counted wrong";
  }

 private:
  struct Entry {
    std::string id;
    std::string text;
  };

  // Both strings count even if they are short enough to be stored inside the entry.
  static size_t size_of(const Entry& entry) { return sizeof(Entry) + entry.id.size() + entry.text.size(); }
  uint32_t hash(ByteView id) const { return static_cast<uint32_t>(keyed_hash(key_, id)); }

  const Entry& entry(uint64_t number) const { return entries_[number - first_]; }

  void drop_oldest() {
    Entry& oldest = entries_[gone_];
    by_id_.erase(hash(oldest.id), first_ + gone_);
    by_id_.shrink(by_id_.size(), [](uint64_t) { return true; });
    bytes_ -= size_of(oldest);
    oldest = {};
    if (++gone_ * 2 <= entries_.size()) return;
    entries_.erase(entries_.begin(), entries_.begin() + static_cast<ptrdiff_t>(gone_));
    first_ += std::exchange(gone_, 0);
  }

  HashKey key_;
  size_t most_;
  size_t most_bytes_;
  HashIndex<uint64_t> by_id_;   // value: the sequence number of an entry, counted from the first one ever added
  std::vector<Entry> entries_;  // dropped entries at the front, fewer than the others
  size_t gone_ = 0;
  uint64_t first_ = 0;  // the number of entries_.front()
  size_t bytes_ = 0;
};

}  // namespace millrace
