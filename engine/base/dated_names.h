// Names ordered by a date, for an agenda. There may be a million of them. Most are removed long before their date (a
// lock is released, a log is written to).
//
//   young      nodes of a tree: the last hundred or so that were added. Most go from here
//   settled    what has stayed, as bytes side by side (byte_order.h): the name and some 8 bytes, instead of 80 and more
//   long       names that are too long for that, in a tree
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "engine/base/big_endian.h"
#include "engine/base/byte_order.h"
#include "engine/base/bytes.h"
#include "engine/base/decoder.h"
#include "engine/base/varint.h"

namespace millrace {

class DatedNames {
 public:
  DatedNames() = default;
  DatedNames(DatedNames&&) = default;
  DatedNames& operator=(DatedNames&&) = default;

  bool empty() const { return size() == 0; }
  size_t size() const { return young_.size() + long_.size() + settled_.size(); }

  // The same entry may be added several times. O(log n), as all functions here.
  void add(uint64_t date, ByteView name) {
    (name.size() <= kLongest ? young_ : long_).insert({date, std::string(name)});
    if (young_.size() > kMostYoung) settle();
  }

  // Removes one such entry. False if there is none.
  bool remove(uint64_t date, ByteView name) {
    Tree& tree = name.size() <= kLongest ? young_ : long_;
    if (const auto found = tree.find(Sought{date, name}); found != tree.end()) {
      tree.erase(found);
      return true;
    }
    return settled_.size() != 0 && remove_settled(date, name);
  }

  // REQUIRES: !empty()
  uint64_t first() const {
    uint64_t date = UINT64_MAX;
    if (!young_.empty()) date = young_.begin()->date;
    if (!long_.empty()) date = std::min(date, long_.begin()->date);
    if (settled_.size() != 0) date = std::min(date, settled_.first_head());
    return date;
  }

  // Removes the entry with the first date, and returns its name. REQUIRES: !empty()
  std::string take_first() {
    const uint64_t date = first();
    for (Tree* tree : {&young_, &long_}) {
      if (tree->empty() || tree->begin()->date != date) continue;
      return std::move(tree->extract(tree->begin()).value().name);
    }
    ByteOrder::Walk walk(settled_);
    walk.seek("");
    std::string name(name_of(walk.entry()));
    remove_settled(date, name);
    return name;
  }

 private:
  static constexpr size_t kMostYoung = 128;
  static constexpr size_t kLongest = 1000;

  struct Entry {
    uint64_t date;
    std::string name;
  };
  struct Sought {
    uint64_t date;
    ByteView name;
  };
  struct Earlier {
    using is_transparent = void;
    template <class Left, class Right>
    bool operator()(const Left& left, const Right& right) const {
      if (left.date != right.date) return left.date < right.date;
      return ByteView(left.name) < ByteView(right.name);
    }
  };
  using Tree = std::multiset<Entry, Earlier>;

  // The bytes of a settled entry:
  //
  //   date, 8 bytes, the most significant first | twice the size of the name, as a varint | name
  //   date                                      | twice the size and 1 | which copy, as a varint | name
  //
  // No entry is a prefix of another.
  static std::string settled_entry(uint64_t date, ByteView name, uint64_t copy) {
    std::string entry;
    entry.reserve(sizeof(date) + 2 * kMaxVarintBytes + name.size());
    append_big_endian(entry, date);
    append_varint(entry, name.size() << 1 | (copy != 0 ? 1 : 0));
    if (copy != 0) append_varint(entry, copy);
    return entry.append(name);
  }
  static ByteView name_of(ByteView entry) {
    Decoder in(entry.substr(sizeof(uint64_t)));
    if ((in.number() & 1) != 0) in.number();
    return in.rest();
  }

  void settle() {
    for (const Entry& entry : young_) {
      uint64_t copy = 0;
      while (!settled_.insert(settled_entry(entry.date, entry.name, copy))) ++copy;
      if (copy != 0) ++copies_;
    }
    young_.clear();
  }

  bool remove_settled(uint64_t date, ByteView name) {
    uint64_t copy = 0;
    while (copies_ != 0 && settled_.contains(settled_entry(date, name, copy + 1))) ++copy;
    if (!settled_.erase(settled_entry(date, name, copy))) return false;
    if (copy != 0) --copies_;
    return true;
  }

  Tree young_;
  Tree long_;
  ByteOrder settled_;
  size_t copies_ = 0;  // settled entries that are duplicates of another
};

}  // namespace millrace
