// A sorted sequence as a B+ tree in which each child has a summary of all entries below it: how many there are, or the
// greatest score among them. So the number of entries in a range, or the best ones of it, are found without looking at
// the rest.
//
//                 [ first | summary | size ]   one record for each child, in an array of up to 64
//                    /            |
//         [ e e e e e e e ]  [ e e e e ]       leaves: entries in an array that grows in steps of 16, up to 128
//
// What a node is made of is in its parent's record: a leaf is nothing but entries, and costs no byte besides.
//
// `Traits` says what entries are:
//
//   using Handle = …;                                     what a parent keeps of the first entry below a child: small
//   static Handle handle_of(const Entry&);
//   static auto compare(const Handle&, const Key&);       < 0: the entry is before the key; for each type of key
//   using Summary = …;                                    Summary{} is the summary of nothing
//   static Summary of(const Entry&);
//   static Summary join(const Summary&, const Summary&);
//
// Entries are trivially copied; what they refer to is the caller's. Finding, adding and removing take O(log n) and the
// move of part of a leaf.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace millrace {

template <class Entry, class Traits>
class SummaryTree {
  static_assert(std::is_trivially_copyable_v<Entry>);
  struct Record;

 public:
  using Handle = typename Traits::Handle;
  using Summary = typename Traits::Summary;

  static constexpr uint32_t kLeafEntries = 128;
  static constexpr uint32_t kChildren = 64;

  SummaryTree() = default;
  SummaryTree(SummaryTree&& other) noexcept { swap(other); }
  SummaryTree& operator=(SummaryTree&& other) noexcept {
    swap(other);
    return *this;
  }
  ~SummaryTree() { free_below(root_, height_); }

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  const Summary& summary() const { return root_.summary; }

  // The entry with this key, or null. Valid until the next change.
  template <class Key>
  const Entry* find(const Key& key) const {
    const Entry* entry = ceiling(key);
    return entry != nullptr && Traits::compare(Traits::handle_of(*entry), key) == 0 ? entry : nullptr;
  }

  // The first entry that is not before the key, or null.
  template <class Key>
  const Entry* ceiling(const Key& key) const {
    const Entry* found = nullptr;
    each_from(key, [&](const Entry& entry) {
      found = &entry;
      return false;
    });
    return found;
  }

  // False if there is one with this key already.
  template <class Key>
  bool insert(const Key& key, const Entry& entry) {
    Record upper;
    const Inserted inserted = insert_below(root_, height_, key, entry, upper);
    if (inserted == Inserted::No) return false;
    ++size_;
    if (inserted == Inserted::AndSplit) grow_root(upper);
    return true;
  }

  // Calls change(entry), which must not change its key. False if there is none with this key.
  template <class Key, class Change>
  bool update(const Key& key, Change change) {
    return update_below(root_, height_, key, change);
  }

  // The entry that was there is left in `erased`. False if there is none with this key.
  template <class Key>
  bool erase(const Key& key, Entry& erased) {
    if (!erase_below(root_, height_, key, erased)) return false;
    --size_;
    if (size_ == 0) {
      free_below(root_, height_);
      root_ = {};
      height_ = 0;
    }
    while (height_ > 0 && root_.size == 1) {
      Record* children = root_.children();
      root_ = children[0];
      free_children(children);
      --height_;
    }
    return true;
  }

  // The summary of all entries before the key. O(log n).
  template <class Key>
  Summary before(const Key& key) const {
    Summary total{};
    const Record* at = &root_;
    for (uint32_t level = height_; level > 0; --level) {
      const uint32_t child = child_for(*at, key);
      for (uint32_t i = 0; i < child; ++i) total = Traits::join(total, at->children()[i].summary);
      at = &at->children()[child];
    }
    const uint32_t place = place_in_leaf(*at, key);
    for (uint32_t i = 0; i < place; ++i) total = Traits::join(total, Traits::of(at->entries()[i]));
    return total;
  }

  // Calls visit(entry) for each that is not before the key, in order, until it returns false.
  template <class Key, class Visit>
  void each_from(const Key& key, Visit visit) const {
    visit_from(root_, height_, &key, visit);
  }
  template <class Visit>
  void each(Visit visit) const {
    const auto visit_and_go_on = [&](const Entry& entry) {
      visit(entry);
      return true;
    };
    visit_from(root_, height_, static_cast<const Handle*>(nullptr), visit_and_go_on);
  }

  // A part of the tree, for searches of their own. Valid until the next change.
  class Part {
   public:
    const Summary& summary() const { return record_->summary; }

   private:
    friend class SummaryTree;
    Part(const Record* record, uint32_t level) : record_(record), level_(level) {}
    const Record* record_;
    uint32_t level_;
  };
  Part whole() const { return Part(&root_, height_); }
  // Calls on_part(part, is_inside) or on_entry(entry) for what is in a part and in [from, to). A part that is not
  // inside may have entries outside of the range.
  template <class From, class To, class OnPart, class OnEntry>
  void open(const Part& part, const From& from, const To& to, OnPart on_part, OnEntry on_entry) const {
    const Record& at = *part.record_;
    if (part.level_ == 0) {
      for (uint32_t i = place_in_leaf(at, from), end = place_in_leaf(at, to); i < end; ++i) on_entry(at.entries()[i]);
      return;
    }
    const Record* children = at.children();
    const uint32_t first = child_for(at, from);
    const uint32_t last = child_for(at, to);
    for (uint32_t i = first; i <= last; ++i) on_part(Part(&children[i], part.level_ - 1), first < i && i < last);
  }

  // Frees a leaf, after visit(entry) for each entry in it; false once nothing is left. REQUIRES: nothing but more of
  // this, and its destruction, follows.
  template <class Visit>
  bool free_some(Visit visit) {
    return free_last_leaf(root_, height_, visit) && root_.size > 0;
  }
  // How many leaves there are, about.
  size_t leaves() const { return size_ / (kLeafEntries / 2) + 1; }

  size_t memory() const { return bytes_; }

  // Proves the invariants; for tests. Returns what is broken, or nullptr.
  const char* check() const {
    size_t entries = 0;
    size_t bytes = 0;
    const char* broken = check_below(root_, height_, entries, bytes);
    if (broken != nullptr) return broken;
    if (entries != size_) return "the size is not the number of entries";
    if (bytes != bytes_) return "the memory is not that of the nodes";
    bool is_ordered = true;
    const Entry* last = nullptr;
    each([&](const Entry& entry) {
      if (last != nullptr && Traits::compare(Traits::handle_of(*last), Traits::handle_of(entry)) >= 0) {
        is_ordered = false;
      }
      last = &entry;
    });
    return is_ordered ? nullptr : "entries out of order";
  }

 private:
  static constexpr uint32_t kStep = 16;
  // Neighbours that together have no more than this become one.
  static constexpr uint32_t kFewEntries = kLeafEntries * 3 / 4;
  static constexpr uint32_t kFewChildren = kChildren * 3 / 4;

  // A node, as its parent knows it.
  struct Record {
    Handle first{};
    Summary summary{};
    void* below = nullptr;  // entries of a leaf, else the records of its children
    uint16_t size = 0;
    uint16_t capacity = 0;  // of a leaf

    Entry* entries() const { return static_cast<Entry*>(below); }
    Record* children() const { return static_cast<Record*>(below); }
  };

  enum class Inserted { No, Yes, AndSplit };

  void swap(SummaryTree& other) noexcept {
    std::swap(root_, other.root_);
    std::swap(height_, other.height_);
    std::swap(size_, other.size_);
    std::swap(bytes_, other.bytes_);
  }

  // --- finding ---

  // How many entries of a leaf are before the key.
  template <class Key>
  static uint32_t place_in_leaf(const Record& leaf, const Key& key) {
    const Entry* begin = leaf.entries();
    const Entry* found = std::partition_point(begin, begin + leaf.size, [&](const Entry& entry) {
      return Traits::compare(Traits::handle_of(entry), key) < 0;
    });
    return static_cast<uint32_t>(found - begin);
  }

  // The child in which the key is, or belongs: the last one that does not begin behind it.
  template <class Key>
  static uint32_t child_for(const Record& inner, const Key& key) {
    const Record* begin = inner.children();
    const Record* found = std::partition_point(
        begin + 1, begin + inner.size, [&](const Record& child) { return Traits::compare(child.first, key) <= 0; });
    return static_cast<uint32_t>(found - begin) - 1;
  }

  // A key of null is before everything.
  template <class Key, class Visit>
  static bool visit_from(const Record& at, uint32_t level, const Key* key, Visit& visit) {
    if (level == 0) {
      for (uint32_t i = key == nullptr ? 0 : place_in_leaf(at, *key); i < at.size; ++i) {
        if (!visit(at.entries()[i])) return false;
      }
      return true;
    }
    for (uint32_t i = key == nullptr ? 0 : child_for(at, *key); i < at.size; ++i, key = nullptr) {
      if (!visit_from(at.children()[i], level - 1, key, visit)) return false;
    }
    return true;
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

  // --- memory ---

  static uint32_t capacity_for(uint32_t entries) { return (entries + kStep - 1) / kStep * kStep; }

  void resize_leaf(Record& leaf, uint32_t capacity) {
    auto* moved = static_cast<Entry*>(::operator new(capacity * sizeof(Entry)));
    if (leaf.size > 0) std::memcpy(static_cast<void*>(moved), leaf.below, leaf.size * sizeof(Entry));
    bytes_ += capacity * sizeof(Entry);
    free_leaf(leaf);
    leaf.below = moved;
    leaf.capacity = static_cast<uint16_t>(capacity);
  }
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

  template <class Visit>
  bool free_last_leaf(Record& at, uint32_t level, Visit& visit) {
    if (level == 0) {
      if (at.below == nullptr) return false;
      for (uint32_t i = 0; i < at.size; ++i) visit(at.entries()[i]);
      size_ -= at.size;
      free_leaf(at);
      at = {};
      return true;
    }
    const bool is_freed = free_last_leaf(at.children()[at.size - 1], level - 1, visit);
    if (at.children()[at.size - 1].size == 0) --at.size;
    if (at.size == 0) {
      free_children(at.children());
      at = {};
      if (&at == &root_) height_ = 0;
    }
    return is_freed;
  }

  template <class T>
  static void make_room(T* array, uint32_t size, uint32_t place) {
    std::memmove(static_cast<void*>(array + place + 1), array + place, (size - place) * sizeof(T));
  }
  template <class T>
  static void close_gap(T* array, uint32_t size, uint32_t place) {
    std::memmove(static_cast<void*>(array + place), array + place + 1, (size - place - 1) * sizeof(T));
  }

  // --- adding ---

  template <class Key>
  Inserted insert_below(Record& at, uint32_t level, const Key& key, const Entry& entry, Record& upper) {
    if (level == 0) return insert_into_leaf(at, key, entry, upper);
    const uint32_t i = child_for(at, key);
    Record made;
    const Inserted inserted = insert_below(at.children()[i], level - 1, key, entry, made);
    if (inserted == Inserted::No) return inserted;
    if (inserted == Inserted::Yes) {
      if (i == 0) at.first = at.children()[0].first;
      at.summary = Traits::join(at.summary, Traits::of(entry));
      return inserted;
    }
    const uint32_t place = i + 1;
    if (at.size < kChildren) {
      put_child(at, place, made);
      refresh_inner(at);
      return Inserted::Yes;
    }
    split_inner(at, upper, place);
    at.size == kChildren || place > at.size ? put_child(upper, place - at.size, made) : put_child(at, place, made);
    refresh_inner(at);
    refresh_inner(upper);
    return Inserted::AndSplit;
  }

  template <class Key>
  Inserted insert_into_leaf(Record& leaf, const Key& key, const Entry& entry, Record& upper) {
    const uint32_t place = place_in_leaf(leaf, key);
    if (place < leaf.size && Traits::compare(Traits::handle_of(leaf.entries()[place]), key) == 0) return Inserted::No;
    if (leaf.size < kLeafEntries) {
      put_entry(leaf, place, entry);
      if (place == 0) leaf.first = Traits::handle_of(entry);
      leaf.summary = Traits::join(leaf.summary, Traits::of(entry));
      return Inserted::Yes;
    }
    // Behind everything: the full leaf stays full, as all do if entries come in ascending order.
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
    return Inserted::AndSplit;
  }

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

  // Moves children into `upper`, to which another one is to be added at `place`.
  void split_inner(Record& inner, Record& upper, uint32_t place) {
    const uint32_t kept = place == inner.size ? inner.size : inner.size / 2;
    upper = {};
    upper.below = new_children();
    upper.size = static_cast<uint16_t>(inner.size - kept);
    std::memcpy(upper.below, inner.children() + kept, upper.size * sizeof(Record));
    inner.size = static_cast<uint16_t>(kept);
  }

  void grow_root(const Record& upper) {
    Record root;
    root.below = new_children();
    root.children()[0] = root_;
    root.children()[1] = upper;
    root.size = 2;
    refresh_inner(root);
    root_ = root;
    ++height_;
  }

  // --- changing and removing ---

  template <class Key, class Change>
  static bool update_below(Record& at, uint32_t level, const Key& key, Change& change) {
    if (level == 0) {
      const uint32_t place = place_in_leaf(at, key);
      if (place == at.size || Traits::compare(Traits::handle_of(at.entries()[place]), key) != 0) return false;
      change(at.entries()[place]);
    } else if (!update_below(at.children()[child_for(at, key)], level - 1, key, change)) {
      return false;
    }
    refresh(at, level);
    return true;
  }

  template <class Key>
  bool erase_below(Record& at, uint32_t level, const Key& key, Entry& erased) {
    if (level == 0) {
      const uint32_t place = place_in_leaf(at, key);
      if (place == at.size || Traits::compare(Traits::handle_of(at.entries()[place]), key) != 0) return false;
      erased = at.entries()[place];
      close_gap(at.entries(), at.size, place);
      --at.size;
      if (at.capacity > capacity_for(at.size + kStep)) resize_leaf(at, capacity_for(at.size + 1));
    } else {
      const uint32_t i = child_for(at, key);
      if (!erase_below(at.children()[i], level - 1, key, erased)) return false;
      tidy_child(at, level, i);
    }
    refresh(at, level);
    return true;
  }

  // A child has lost something: it goes if it is empty, and is joined with a neighbour if both have little.
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

  static const char* check_below(const Record& at, uint32_t level, size_t& entries, size_t& bytes) {
    Record fresh = at;
    refresh(fresh, level);
    if (fresh.summary != at.summary) return "a summary is not that of what is below";
    if (at.size > 0 && Traits::compare(fresh.first, at.first) != 0) return "a node does not know its first entry";
    if (level == 0) {
      if (at.size > at.capacity || at.size > kLeafEntries) return "a leaf with too many entries";
      entries += at.size;
      bytes += at.capacity * sizeof(Entry);
      return nullptr;
    }
    if (at.size == 0 || at.size > kChildren) return "a node without children, or with too many";
    bytes += kChildren * sizeof(Record);
    for (uint32_t i = 0; i < at.size; ++i) {
      if (at.children()[i].size == 0) return "an empty node";
      if (const char* broken = check_below(at.children()[i], level - 1, entries, bytes)) return broken;
    }
    return nullptr;
  }

  Record root_;
  uint32_t height_ = 0;  // 0: the root is a leaf
  size_t size_ = 0;
  size_t bytes_ = 0;
};

}  // namespace millrace
