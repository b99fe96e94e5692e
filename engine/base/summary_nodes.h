// The nodes of a SummaryTree: how one is searched, changed, split, and joined with its neighbour. summary_tree.h says
// what they are for, and what Traits are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace millrace {

template <class Entry, class Traits>
class SummaryNodes {
  static_assert(std::is_trivially_copyable_v<Entry>);

 public:
  using Handle = typename Traits::Handle;
  using Summary = typename Traits::Summary;

  static constexpr uint32_t kLeafEntries = 128;
  static constexpr uint32_t kChildren = 64;

  // What the parent stores of a node.
  struct Record {
    Handle first{};
    Summary summary{};
    void* below = nullptr;  // entries of a leaf, else the records of its children
    uint16_t size = 0;
    uint16_t capacity = 0;  // only of a leaf

    Entry* entries() const { return static_cast<Entry*>(below); }
    Record* children() const { return static_cast<Record*>(below); }
  };

  // Bytes allocated by the nodes.
  size_t bytes() const { return bytes_; }

  // How many entries of a leaf are before the key.
  template <class Key>
  static uint32_t place_in_leaf(const Record& leaf, const Key& key) {
    const Entry* begin = leaf.entries();
    const Entry* found = std::partition_point(begin, begin + leaf.size, [&](const Entry& entry) {
      return Traits::compare(Traits::handle_of(entry), key) < 0;
    });
    return static_cast<uint32_t>(found - begin);
  }

  // The child in which the key is, or belongs: the last one that does not begin after the key.
  template <class Key>
  static uint32_t child_for(const Record& inner, const Key& key) {
    const Record* begin = inner.children();
    const Record* found = std::partition_point(
        begin + 1, begin + inner.size, [&](const Record& child) { return Traits::compare(child.first, key) <= 0; });
    return static_cast<uint32_t>(found - begin) - 1;
  }

  // --- summaries ---

  static void refresh_leaf(Record& leaf) {
    leaf.summary = {};
    for (uint32_t i = 0; i < leaf.size; ++i) {
      leaf.summary = Traits::join(leaf.summary, Traits::of(leaf.entries()[i]));
    }
    if (leaf.size > 0) leaf.first = Traits::handle_of(leaf.entries()[0]);
  }
  static void refresh_inner(Record& inner) {
    inner.summary = {};
    for (uint32_t i = 0; i < inner.size; ++i) {
      inner.summary = Traits::join(inner.summary, inner.children()[i].summary);
    }
    if (inner.size > 0) inner.first = inner.children()[0].first;
  }
  static void refresh(Record& at, uint32_t level) { level == 0 ? refresh_leaf(at) : refresh_inner(at); }

  // --- adding ---

  void put_entry(Record& leaf, uint32_t place, const Entry& entry) {
    if (leaf.size == leaf.capacity) resize_leaf(leaf, leaf.capacity + (leaf.capacity < kStep ? kStep / 4 : kStep));
    make_room(leaf.entries(), leaf.size, place);
    leaf.entries()[place] = entry;
    ++leaf.size;
  }

  static void put_child(Record& inner, uint32_t place, const Record& child) {
    make_room(inner.children(), inner.size, place);
    inner.children()[place] = child;
    ++inner.size;
  }

  // Adds an entry at `place` to a full leaf, and moves some of its entries into the new leaf `upper`.
  void split_leaf(Record& leaf, Record& upper, uint32_t place, const Entry& entry) {
    // The entry is after all others: the full leaf stays full, so leaves are full if entries are added in ascending
    // order.
    const uint32_t kept = place == leaf.size ? leaf.size : leaf.size / 2;
    const uint32_t moved = leaf.size - kept;
    upper.size = 0;
    resize_leaf(upper, capacity_for(moved + 1));
    if (moved > 0) {
      std::memcpy(static_cast<void*>(upper.entries()), leaf.entries() + kept, moved * sizeof(Entry));
      upper.size = static_cast<uint16_t>(moved);
      leaf.size = static_cast<uint16_t>(kept);
      resize_leaf(leaf, capacity_for(kept + 1));
    }
    place < kept || (place == kept && moved > 0) ? put_entry(leaf, place, entry)
                                                 : put_entry(upper, place - kept, entry);
    refresh_leaf(leaf);
    refresh_leaf(upper);
  }

  // Moves children into `upper`, to which another one is to be added at `place`.
  void split_inner(Record& inner, Record& upper, uint32_t place) {
    const uint32_t kept = place == inner.size ? inner.size : inner.size / 2;
    upper = {};
    upper.below = new_children();
    upper.size = static_cast<uint16_t>(inner.size - kept);
    std::memcpy(upper.below, inner.children() + kept, upper.size * sizeof(Record));
    inner.size = static_cast<uint16_t>(kept);
  }

  // --- removing ---

  void remove_entry(Record& leaf, uint32_t place) {
    close_gap(leaf.entries(), leaf.size, place);
    --leaf.size;
    if (leaf.capacity > capacity_for(leaf.size + kStep)) resize_leaf(leaf, capacity_for(leaf.size + 1));
  }

  // Called after a removal from a child: frees the child if it is empty, and merges it with a neighbour if both are
  // sparse.
  void tidy_child(Record& inner, uint32_t level, uint32_t i) {
    Record* children = inner.children();
    if (children[i].size == 0) {
      free_below(children[i], level - 1);
      close_gap(children, inner.size, i);
      --inner.size;
    } else if (children[i].size < (level == 1 ? kFewEntries : kFewChildren) / 2) {
      if (i + 1 == inner.size || !merge(inner, level, i)) static_cast<void>(i > 0 && merge(inner, level, i - 1));
    }
  }

  // Joins the children i and i + 1 if they fit.
  bool merge(Record& inner, uint32_t level, uint32_t i) {
    Record& lower = inner.children()[i];
    Record& upper = inner.children()[i + 1];
    const uint32_t together = lower.size + upper.size;
    if (together > (level == 1 ? kFewEntries : kFewChildren)) return false;
    if (level == 1) {
      if (lower.capacity < together) resize_leaf(lower, capacity_for(together));
      std::memcpy(static_cast<void*>(lower.entries() + lower.size), upper.below, upper.size * sizeof(Entry));
      free_leaf(upper);
    } else {
      std::memcpy(static_cast<void*>(lower.children() + lower.size), upper.below, upper.size * sizeof(Record));
      free_children(upper.children());
    }
    lower.size = static_cast<uint16_t>(together);
    refresh(lower, level - 1);
    close_gap(inner.children(), inner.size, i + 1);
    --inner.size;
    return true;
  }

  // --- memory ---

  void free_leaf(const Record& leaf) {
    bytes_ -= leaf.capacity * sizeof(Entry);
    ::operator delete(leaf.below);
  }
  Record* new_children() {
    bytes_ += kChildren * sizeof(Record);
    return static_cast<Record*>(::operator new(kChildren * sizeof(Record)));
  }
  void free_children(Record* children) {
    bytes_ -= kChildren * sizeof(Record);
    ::operator delete(children);
  }
  void free_below(const Record& at, uint32_t level) {
    if (level == 0) return free_leaf(at);
    for (uint32_t i = 0; i < at.size; ++i) free_below(at.children()[i], level - 1);
    free_children(at.children());
  }

 private:
  static constexpr uint32_t kStep = 16;
  // Neighbours that together have no more than this become one.
  static constexpr uint32_t kFewEntries = kLeafEntries * 3 / 4;
  static constexpr uint32_t kFewChildren = kChildren * 3 / 4;

  static uint32_t capacity_for(uint32_t entries) { return (entries + kStep - 1) / kStep * kStep; }

  void resize_leaf(Record& leaf, uint32_t capacity) {
    auto* moved = static_cast<Entry*>(::operator new(capacity * sizeof(Entry)));
    if (leaf.size > 0) std::memcpy(static_cast<void*>(moved), leaf.below, leaf.size * sizeof(Entry));
    bytes_ += capacity * sizeof(Entry);
    free_leaf(leaf);
    leaf.below = moved;
    leaf.capacity = static_cast<uint16_t>(capacity);
  }
  template <class T>
  static void make_room(T* array, uint32_t size, uint32_t place) {
    std::memmove(static_cast<void*>(array + place + 1), array + place, (size - place) * sizeof(T));
  }
  template <class T>
  static void close_gap(T* array, uint32_t size, uint32_t place) {
    std::memmove(static_cast<void*>(array + place), array + place + 1, (size - place - 1) * sizeof(T));
  }

  size_t bytes_ = 0;
};

}  // namespace millrace
