// Names ordered by a date, for an agenda. There may be a million of them. Most are removed long before their date (a
// lock is released, a log is written to), so adding and removing must be cheap; the first date is seldom asked for.
//
//   leaves      ordered by their bounds; a bound is a date and a name. A leaf has the entries from its bound up to the
//               next bound, in no order: a new entry is added at the end. All dates in a leaf have the same upper 32
//               bits as its bound, so they are in the same seven weeks
//   long names  in a tree, because they do not fit into a leaf
//
// A leaf is up to 1 KiB of consecutive entries. It is small, because it is searched from one end to the other. An
// entry:
//
//   size of the name, 1 byte | lower 32 bits of the date | name
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "engine/base/bytes.h"

namespace millrace {

class DatedNames {
 public:
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }

  // The same entry may be added several times. It should not be added hundreds of times, because equal entries are not
  // found quickly. O(log n), as all functions here.
  void add(uint64_t date, ByteView name);
  // Removes one entry with this date and name. False if there is none.
  bool remove(uint64_t date, ByteView name);

  // REQUIRES for both: !empty()
  uint64_t first() const;
  // Removes the entry with the first date, and returns its name.
  std::string take_first();

  // The approximate memory of the leaves; for tests.
  size_t memory() const;
  // Proves the invariants; for tests. Returns what is broken, or nullptr.
  const char* check() const;

 private:
  static constexpr size_t kLeafBytes = 1024;
  // Memory of a leaf grows by this.
  static constexpr size_t kStep = 128;
  // A leaf with fewer bytes is merged with a neighbour, if both together have at most kUnited bytes.
  static constexpr size_t kSparse = 256;
  static constexpr size_t kUnited = 768;
  static constexpr size_t kLongest = UINT8_MAX;
  static constexpr size_t kHeadBytes = 5;
  // Unused bytes at the end of a leaf, so that each head can be read and written as eight bytes.
  static constexpr size_t kMoreBytes = sizeof(uint64_t) - kHeadBytes;

  struct Entry {
    uint64_t date;
    ByteView name;
  };
  struct OwnEntry {
    uint64_t date = 0;
    std::string name;
  };
  struct Earlier {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the name that std::set asks for
    template <class Left, class Right>
    bool operator()(const Left& left, const Right& right) const {
      if (left.date != right.date) return left.date < right.date;
      return ByteView(left.name) < ByteView(right.name);
    }
  };

  struct Leaf {
    // Nearly always at most kLeafBytes. A leaf may be larger only because equal entries are never divided between two
    // leaves.
    std::unique_ptr<char[]> bytes;
    uint32_t size = 0;
    uint32_t room = 0;

    const char* begin() const { return bytes.get(); }
    const char* end() const { return bytes.get() + size; }
    void resize(size_t wanted);
    void append(Entry entry);
    void erase(const char* at);
  };
  using Leaves = std::map<OwnEntry, Leaf, Earlier>;

  static uint64_t head_of(Entry entry) { return (entry.date & UINT32_MAX) << 8 | entry.name.size(); }
  static uint64_t head_at(const char* at) {
    uint64_t head;
    std::memcpy(&head, at, sizeof(head));
    return head & ((uint64_t{1} << 8 * kHeadBytes) - 1);
  }
  static size_t size_in(uint64_t head) { return kHeadBytes + (head & UINT8_MAX); }
  static const char* after(const char* at) { return at + size_in(head_at(at)); }
  static size_t bytes_of(Entry entry) { return kHeadBytes + entry.name.size(); }
  static ByteView name_at(const char* at) { return {at + kHeadBytes, head_at(at) & UINT8_MAX}; }
  static Entry entry_at(Leaves::const_iterator leaf, const char* at) {
    return {(leaf->first.date & ~uint64_t{UINT32_MAX}) | head_at(at) >> 8, name_at(at)};
  }
  static bool is_near(uint64_t one, uint64_t other) { return one >> 32 == other >> 32; }

  // The leaf that has the entry or should have it; end(): there is no such leaf.
  Leaves::iterator leaf_of(Entry entry);
  Leaves::iterator make_leaf_for(Entry entry);
  // Null: it is not there.
  static const char* find(const Leaf& leaf, Entry entry);
  // REQUIRES: there is an entry in a leaf
  const char* first_in_leaves() const;
  void erase(Leaves::iterator leaf, const char* at);
  // Makes room in a leaf for an entry; returns the leaf to which the entry then belongs.
  Leaves::iterator make_room(Leaves::iterator leaf, Entry entry);
  // Moves the upper half of the entries to a new leaf, if they are not all equal.
  void split(Leaves::iterator leaf);
  void unite(Leaves::iterator leaf);
  bool unite(Leaves::iterator lower, Leaves::iterator upper);

  Leaves leaves_;  // a leaf is empty only if it is the only one
  std::multiset<OwnEntry, Earlier> long_;
  size_t size_ = 0;
};

}  // namespace millrace
