#include "engine/base/dated_names.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace millrace {

void DatedNames::Leaf::resize(size_t wanted) {
  room = static_cast<uint32_t>((wanted + kStep - 1) / kStep * kStep);
  auto larger = std::make_unique_for_overwrite<char[]>(room);
  if (size != 0) std::memcpy(larger.get(), bytes.get(), size);
  bytes = std::move(larger);
}

void DatedNames::Leaf::append(Entry entry) {
  char* const at = bytes.get() + size;
  const uint64_t head = head_of(entry);
  std::memcpy(at, &head, sizeof(head));
  if (!entry.name.empty()) std::memcpy(at + kHeadBytes, entry.name.data(), entry.name.size());
  size += static_cast<uint32_t>(bytes_of(entry));
}

void DatedNames::Leaf::erase(const char* at) {
  const char* const next = after(at);
  std::memmove(bytes.get() + (at - begin()), next, static_cast<size_t>(end() - next));
  size -= static_cast<uint32_t>(next - at);
}

DatedNames::Leaves::iterator DatedNames::leaf_of(Entry entry) {
  if (leaves_.empty()) return leaves_.end();
  // Dates mostly increase.
  auto leaf = std::prev(leaves_.end());
  if (Earlier()(entry, leaf->first)) {
    leaf = leaves_.upper_bound(entry);
    if (leaf == leaves_.begin()) return leaves_.end();
    --leaf;
  }
  return is_near(leaf->first.date, entry.date) ? leaf : leaves_.end();
}

DatedNames::Leaves::iterator DatedNames::make_leaf_for(Entry entry) {
  if (leaves_.size() == 1 && leaves_.begin()->second.size == 0) leaves_.clear();
  return leaves_.try_emplace(OwnEntry{entry.date & ~uint64_t{UINT32_MAX}, {}}).first;
}

void DatedNames::add(uint64_t date, ByteView name) {
  ++size_;
  if (name.size() > kLongest) return void(long_.insert({date, std::string(name)}));
  const Entry entry{date, name};
  auto leaf = leaf_of(entry);
  if (leaf == leaves_.end()) [[unlikely]] {
    leaf = make_leaf_for(entry);
  }
  if (leaf->second.size + bytes_of(entry) + kMoreBytes > leaf->second.room) [[unlikely]] {
    leaf = make_room(leaf, entry);
  }
  leaf->second.append(entry);
}

DatedNames::Leaves::iterator DatedNames::make_room(Leaves::iterator leaf, Entry entry) {
  const size_t wanted = bytes_of(entry) + kMoreBytes;
  if (leaf->second.size + wanted > kLeafBytes) {
    bool is_after_all = std::next(leaf) == leaves_.end();
    for (const char* at = leaf->second.begin(); is_after_all && at != leaf->second.end(); at = after(at)) {
      is_after_all = Earlier()(entry_at(leaf, at), entry);
    }
    if (is_after_all) {  // the full leaf stays full
      leaf = leaves_.emplace_hint(leaves_.end(), OwnEntry{entry.date, std::string(entry.name)}, Leaf());
    } else {
      split(leaf);
      leaf = leaf_of(entry);
    }
  }
  Leaf& target = leaf->second;
  if (target.size + wanted > target.room) target.resize(target.size + wanted);
  return leaf;
}

void DatedNames::split(Leaves::iterator leaf) {
  std::vector<Entry> entries;
  entries.reserve(leaf->second.size / kHeadBytes);
  for (const char* at = leaf->second.begin(); at != leaf->second.end(); at = after(at)) {
    entries.push_back(entry_at(leaf, at));
  }
  const Earlier earlier;
  const auto middle = entries.begin() + static_cast<ptrdiff_t>(entries.size() / 2);
  std::nth_element(entries.begin(), middle, entries.end(), earlier);
  // Equal entries stay together.
  const Entry median = *middle;
  auto upper = std::partition(entries.begin(), middle, [&](const Entry& each) { return earlier(each, median); });
  if (upper == entries.begin()) {
    upper = std::partition(middle, entries.end(), [&](const Entry& each) { return !earlier(median, each); });
  }
  if (upper == entries.end()) return;
  const Leaf full = std::exchange(leaf->second, {});
  const Entry bound = *std::min_element(upper, entries.end(), earlier);
  Leaf& made = leaves_.emplace_hint(std::next(leaf), OwnEntry{bound.date, std::string(bound.name)}, Leaf())->second;
  const auto fill = [](Leaf& target, auto from, auto to) {
    size_t bytes = kMoreBytes;
    for (auto each = from; each != to; ++each) bytes += bytes_of(*each);
    target.resize(bytes);
    for (auto each = from; each != to; ++each) target.append(*each);
  };
  fill(leaf->second, entries.begin(), upper);
  fill(made, upper, entries.end());
}

const char* DatedNames::find(const Leaf& leaf, Entry entry) {
  const uint64_t sought = head_of(entry);
  // Entries of the same millisecond often have names of the same size that differ at the end.
  const char last = entry.name.empty() ? '\0' : entry.name.back();
  const char* const end = leaf.end();
  for (const char* at = leaf.begin(); at != end;) {
    const uint64_t head = head_at(at);
    const char* const next = at + size_in(head);
    if (head == sought && (entry.name.empty() || (next[-1] == last && name_at(at) == entry.name))) return at;
    at = next;
  }
  return nullptr;
}

bool DatedNames::remove(uint64_t date, ByteView name) {
  const Entry entry{date, name};
  if (name.size() > kLongest) {
    const auto found = long_.find(entry);
    if (found == long_.end()) return false;
    long_.erase(found);
    --size_;
    return true;
  }
  const auto leaf = leaf_of(entry);
  const char* const found = leaf == leaves_.end() ? nullptr : find(leaf->second, entry);
  if (found == nullptr) return false;
  erase(leaf, found);
  return true;
}

void DatedNames::erase(Leaves::iterator leaf, const char* at) {
  leaf->second.erase(at);
  --size_;
  if (leaf->second.size < kSparse) unite(leaf);
}

void DatedNames::unite(Leaves::iterator leaf) {
  if (leaves_.size() == 1) return;
  if (const auto upper = std::next(leaf); upper != leaves_.end() && unite(leaf, upper)) return;
  if (leaf != leaves_.begin() && unite(std::prev(leaf), leaf)) return;
  if (leaf->second.size == 0) return void(leaves_.erase(leaf));
  if (leaf->second.room > 2 * kSparse) leaf->second.resize(leaf->second.size + kMoreBytes);
}

bool DatedNames::unite(Leaves::iterator lower, Leaves::iterator upper) {
  Leaf& kept = lower->second;
  Leaf& gone = upper->second;
  const size_t together = kept.size + gone.size + kMoreBytes;
  if (!is_near(lower->first.date, upper->first.date)) return false;
  if (kept.size == 0) {
    std::swap(kept, gone);
  } else if (gone.size != 0) {
    if (together > kUnited) return false;
    if (kept.room < together) kept.resize(together);
    std::memcpy(kept.bytes.get() + kept.size, gone.begin(), gone.size);
    kept.size += gone.size;
  }
  leaves_.erase(upper);
  return true;
}

const char* DatedNames::first_in_leaves() const {
  const Leaf& leaf = leaves_.begin()->second;
  const char* first = leaf.begin();
  for (const char* at = first; at != leaf.end(); at = after(at)) {
    if (head_at(at) >> 8 < head_at(first) >> 8) first = at;
  }
  return first;
}

uint64_t DatedNames::first() const {
  const uint64_t long_first = long_.empty() ? UINT64_MAX : long_.begin()->date;
  if (size_ == long_.size()) return long_first;
  return std::min(long_first, entry_at(leaves_.begin(), first_in_leaves()).date);
}

std::string DatedNames::take_first() {
  const char* const at = size_ == long_.size() ? nullptr : first_in_leaves();
  if (at != nullptr && (long_.empty() || entry_at(leaves_.begin(), at).date <= long_.begin()->date)) {
    std::string name(name_at(at));
    erase(leaves_.begin(), at);
    return name;
  }
  --size_;
  return std::move(long_.extract(long_.begin()).value().name);
}

size_t DatedNames::memory() const {
  size_t bytes = 0;
  for (const auto& [bound, leaf] : leaves_) bytes += sizeof(Leaves::value_type) + 4 * sizeof(void*) + leaf.room;
  return bytes;
}

const char* DatedNames::check() const {
  const Earlier earlier;
  size_t count = long_.size();
  for (auto leaf = leaves_.begin(); leaf != leaves_.end(); ++leaf) {
    const Leaf& held = leaf->second;
    if (held.size != 0 && held.size + kMoreBytes > held.room) return "a leaf is larger than its memory";
    if (held.size == 0 && leaves_.size() > 1) return "an empty leaf";
    const auto next = std::next(leaf);
    for (const char* at = held.begin(); at != held.end(); at = after(at)) {
      if (after(at) > held.end()) return "an entry that ends behind its leaf";
      const Entry entry = entry_at(leaf, at);
      if (earlier(entry, leaf->first)) return "an entry before the bound of its leaf";
      if (next != leaves_.end() && !earlier(entry, next->first)) return "an entry that belongs to the next leaf";
      ++count;
    }
  }
  return count == size_ ? nullptr : "the size is wrong";
}

}  // namespace millrace
