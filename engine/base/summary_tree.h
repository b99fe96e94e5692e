// A sorted sequence as a B+ tree in which each child has a summary of all entries below it: how many there are, or the
// greatest score among them. So the number of entries in a range, or its best entries, are found without looking at the
// rest.
//
//                 [ first | summary | size ]   one record for each child, in an array of up to 64
//                    /            |
//         [ e e e e e e e ]  [ e e e e ]       leaves: entries in an array that grows in steps of 16, up to 128
//
// The size and the summary of a node are in its parent's record. So a leaf contains only entries, and needs no header.
//
// `Traits` says what entries are:
//
//   using Handle = …;                                  stored by a parent for the first entry below a child; small
//   static Handle handle_of(const Entry&);
//   static auto compare(const Handle&, const Key&);    < 0: the entry is before the key; for each type of key
//   using Summary = …;                                 Summary{} is the summary of no entries
//   static Summary of(const Entry&);
//   static Summary join(const Summary&, const Summary&);
//
// Entries are trivially copied; the caller owns what they refer to. Finding, adding and removing take O(log n); adding
// and removing also move a part of a leaf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "engine/base/summary_nodes.h"

namespace millrace {

template <class Entry, class Traits>
class SummaryTree {
  using Nodes = SummaryNodes<Entry, Traits>;
  using Record = typename Nodes::Record;

 public:
  using Handle = typename Traits::Handle;
  using Summary = typename Traits::Summary;

  SummaryTree() = default;
  SummaryTree(SummaryTree&& other) noexcept { swap(other); }
  SummaryTree& operator=(SummaryTree&& other) noexcept {
    swap(other);
    return *this;
  }
  ~SummaryTree() { nodes_.free_below(root_, height_); }

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

  // Calls change(entry), which must not change its key, for each. O(n).
  template <class Change>
  void change_all(Change change) {
    change_all_below(root_, height_, change);
  }

  // The removed entry is stored in `erased`. False if there is none with this key.
  template <class Key>
  bool erase(const Key& key, Entry& erased) {
    if (!erase_below(root_, height_, key, erased)) return false;
    --size_;
    if (size_ == 0) {
      nodes_.free_below(root_, height_);
      root_ = {};
      height_ = 0;
    }
    while (height_ > 0 && root_.size == 1) {
      Record* children = root_.children();
      root_ = children[0];
      nodes_.free_children(children);
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
      const uint32_t child = Nodes::child_for(*at, key);
      for (uint32_t i = 0; i < child; ++i) total = Traits::join(total, at->children()[i].summary);
      at = &at->children()[child];
    }
    const uint32_t place = Nodes::place_in_leaf(*at, key);
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

  // A part of the tree, for callers that search the tree themselves. Valid until the next change.
  class Part {
   public:
    Part() = default;
    // REQUIRES: the part was returned by the tree
    const Summary& summary() const { return record_->summary; }
    // The handle of its first entry. REQUIRES: the tree is not empty
    const Handle& first() const { return record_->first; }
    // True if all its entries are in the range that it was opened for; else some may be outside.
    bool is_inside() const { return is_inside_; }

   private:
    friend class SummaryTree;
    Part(const Record* record, uint32_t level, bool is_inside)
        : record_(record), level_(level), is_inside_(is_inside) {}
    const Record* record_ = nullptr;
    uint32_t level_ = 0;
    bool is_inside_ = false;
  };
  Part whole() const { return Part(&root_, height_, false); }
  // Calls on_part(part) or on_entry(entry) for everything in a part that may be in [from, to).
  template <class From, class To, class OnPart, class OnEntry>
  void open(const Part& part, const From& from, const To& to, OnPart on_part, OnEntry on_entry) const {
    const Record& at = *part.record_;
    const bool is_inside = part.is_inside_;
    if (part.level_ == 0) {
      const uint32_t end = is_inside ? at.size : Nodes::place_in_leaf(at, to);
      for (uint32_t i = is_inside ? 0 : Nodes::place_in_leaf(at, from); i < end; ++i) on_entry(at.entries()[i]);
      return;
    }
    const uint32_t first = is_inside ? 0 : Nodes::child_for(at, from);
    const uint32_t last = is_inside ? at.size - 1U : Nodes::child_for(at, to);
    for (uint32_t i = first; i <= last; ++i) {
      on_part(Part(&at.children()[i], part.level_ - 1, is_inside || (first < i && i < last)));
    }
  }

  // Frees a leaf, after visit(entry) for each entry in it; false once nothing is left. REQUIRES: afterwards only this
  // function and the destructor are called.
  template <class Visit>
  bool free_some(Visit visit) {
    return free_last_leaf(root_, height_, visit) && root_.size > 0;
  }
  // The approximate number of leaves.
  size_t leaves() const { return size_ / (Nodes::kLeafEntries / 2) + 1; }

  size_t memory() const { return nodes_.bytes(); }

  // Proves the invariants; for tests. Returns what is broken, or nullptr.
  const char* check() const {
    size_t entries = 0;
    size_t bytes = 0;
    const char* broken = check_below(root_, height_, entries, bytes);
    if (broken != nullptr) return broken;
    if (entries != size_) return "the size is not the number of entries";
    if (bytes != nodes_.bytes()) return "the memory is not that of the nodes";
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
  enum class Inserted { No, Yes, AndSplit };

  void swap(SummaryTree& other) noexcept {
    std::swap(root_, other.root_);
    std::swap(height_, other.height_);
    std::swap(size_, other.size_);
    std::swap(nodes_, other.nodes_);
  }

  // A null key is before all entries.
  template <class Key, class Visit>
  static bool visit_from(const Record& at, uint32_t level, const Key* key, Visit& visit) {
    if (level == 0) {
      for (uint32_t i = key == nullptr ? 0 : Nodes::place_in_leaf(at, *key); i < at.size; ++i) {
        if (!visit(at.entries()[i])) return false;
      }
      return true;
    }
    for (uint32_t i = key == nullptr ? 0 : Nodes::child_for(at, *key); i < at.size; ++i, key = nullptr) {
      if (!visit_from(at.children()[i], level - 1, key, visit)) return false;
    }
    return true;
  }

  template <class Visit>
  bool free_last_leaf(Record& at, uint32_t level, Visit& visit) {
    if (level == 0) {
      if (at.below == nullptr) return false;
      for (uint32_t i = 0; i < at.size; ++i) visit(at.entries()[i]);
      size_ -= at.size;
      nodes_.free_leaf(at);
      at = {};
      return true;
    }
    const bool is_freed = free_last_leaf(at.children()[at.size - 1], level - 1, visit);
    if (at.children()[at.size - 1].size == 0) --at.size;
    if (at.size == 0) {
      nodes_.free_children(at.children());
      at = {};
      if (&at == &root_) height_ = 0;
    }
    return is_freed;
  }

  // --- adding ---

  template <class Key>
  Inserted insert_below(Record& at, uint32_t level, const Key& key, const Entry& entry, Record& upper) {
    if (level == 0) return insert_into_leaf(at, key, entry, upper);
    const uint32_t i = Nodes::child_for(at, key);
    Record made;
    const Inserted inserted = insert_below(at.children()[i], level - 1, key, entry, made);
    if (inserted == Inserted::No) return inserted;
    if (inserted == Inserted::Yes) {
      if (i == 0) at.first = at.children()[0].first;
      at.summary = Traits::join(at.summary, Traits::of(entry));
      return inserted;
    }
    const uint32_t place = i + 1;
    if (at.size < Nodes::kChildren) {
      Nodes::put_child(at, place, made);
      Nodes::refresh_inner(at);
      return Inserted::Yes;
    }
    nodes_.split_inner(at, upper, place);
    at.size == Nodes::kChildren || place > at.size ? Nodes::put_child(upper, place - at.size, made)
                                                   : Nodes::put_child(at, place, made);
    Nodes::refresh_inner(at);
    Nodes::refresh_inner(upper);
    return Inserted::AndSplit;
  }

  template <class Key>
  Inserted insert_into_leaf(Record& leaf, const Key& key, const Entry& entry, Record& upper) {
    const uint32_t place = Nodes::place_in_leaf(leaf, key);
    if (place < leaf.size && Traits::compare(Traits::handle_of(leaf.entries()[place]), key) == 0) return Inserted::No;
    if (leaf.size < Nodes::kLeafEntries) {
      nodes_.put_entry(leaf, place, entry);
      if (place == 0) leaf.first = Traits::handle_of(entry);
      leaf.summary = Traits::join(leaf.summary, Traits::of(entry));
      return Inserted::Yes;
    }
    nodes_.split_leaf(leaf, upper, place, entry);
    return Inserted::AndSplit;
  }

  void grow_root(const Record& upper) {
    Record root;
    root.below = nodes_.new_children();
    root.children()[0] = root_;
    root.children()[1] = upper;
    root.size = 2;
    Nodes::refresh_inner(root);
    root_ = root;
    ++height_;
  }

  // --- changing and removing ---

  template <class Key, class Change>
  static bool update_below(Record& at, uint32_t level, const Key& key, Change& change) {
    if (level == 0) {
      const uint32_t place = Nodes::place_in_leaf(at, key);
      if (place == at.size || Traits::compare(Traits::handle_of(at.entries()[place]), key) != 0) return false;
      change(at.entries()[place]);
    } else if (!update_below(at.children()[Nodes::child_for(at, key)], level - 1, key, change)) {
      return false;
    }
    Nodes::refresh(at, level);
    return true;
  }

  template <class Change>
  static void change_all_below(Record& at, uint32_t level, Change& change) {
    for (uint32_t i = 0; i < at.size; ++i) {
      level == 0 ? change(at.entries()[i]) : change_all_below(at.children()[i], level - 1, change);
    }
    Nodes::refresh(at, level);
  }

  template <class Key>
  bool erase_below(Record& at, uint32_t level, const Key& key, Entry& erased) {
    if (level == 0) {
      const uint32_t place = Nodes::place_in_leaf(at, key);
      if (place == at.size || Traits::compare(Traits::handle_of(at.entries()[place]), key) != 0) return false;
      erased = at.entries()[place];
      nodes_.remove_entry(at, place);
    } else {
      const uint32_t i = Nodes::child_for(at, key);
      if (!erase_below(at.children()[i], level - 1, key, erased)) return false;
      nodes_.tidy_child(at, level, i);
    }
    Nodes::refresh(at, level);
    return true;
  }

  static const char* check_below(const Record& at, uint32_t level, size_t& entries, size_t& bytes) {
    Record fresh = at;
    Nodes::refresh(fresh, level);
    if (fresh.summary != at.summary) return "a summary is not that of what is below";
    if (at.size > 0 && Traits::compare(fresh.first, at.first) != 0) return "a node does not know its first entry";
    if (level == 0) {
      if (at.size > at.capacity || at.size > Nodes::kLeafEntries) return "a leaf with too many entries";
      entries += at.size;
      bytes += at.capacity * sizeof(Entry);
      return nullptr;
    }
    if (at.size == 0 || at.size > Nodes::kChildren) return "a node without children, or with too many";
    bytes += Nodes::kChildren * sizeof(Record);
    for (uint32_t i = 0; i < at.size; ++i) {
      if (at.children()[i].size == 0) return "an empty node";
      if (const char* broken = check_below(at.children()[i], level - 1, entries, bytes)) return broken;
    }
    return nullptr;
  }

  Nodes nodes_;
  Record root_;
  uint32_t height_ = 0;  // 0: the root is a leaf
  size_t size_ = 0;
};

}  // namespace millrace
