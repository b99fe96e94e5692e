// A term of a dictionary. Its bytes are a separate allocation. The tree has all terms in the order of their bytes, each
// with its score, and stores the best score of each of its parts.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "engine/base/bytes.h"
#include "engine/base/summary_tree.h"

namespace millrace {

// The longest term, and the longest prefix that is asked for.
inline constexpr size_t kMaxTerm = 512;

// The bytes of a term. Made by make(), and freed by free().
class TermText {
 public:
  ByteView text() const { return {reinterpret_cast<const char*>(this) + sizeof(TermText), size_}; }
  size_t memory() const { return sizeof(TermText) + size_; }

  // REQUIRES: text.size() <= kMaxTerm
  static const TermText* make(ByteView text) {
    auto* made = new (::operator new(sizeof(TermText) + text.size())) TermText(static_cast<uint16_t>(text.size()));
    std::memcpy(reinterpret_cast<char*>(made) + sizeof(TermText), text.data(), text.size());
    return made;
  }
  static void free(const TermText* term) { ::operator delete(const_cast<TermText*>(term)); }

 private:
  explicit TermText(uint16_t size) : size_(size) {}

  uint16_t size_;
};

struct TermEntry {
  const TermText* term;
  double weight;  // the score without the common factor: see term_dictionary.h
};

// A position between terms: before all terms that begin with these bytes, or after all of them.
struct TermBound {
  ByteView prefix;
  bool is_behind;
};

struct TermTraits {
  using Handle = const TermText*;
  static Handle handle_of(const TermEntry& entry) { return entry.term; }
  static int compare(Handle term, ByteView other) { return term->text().compare(other); }
  static int compare(Handle term, Handle other) { return term->text().compare(other->text()); }
  static int compare(Handle term, const TermBound& bound) {
    const ByteView text = term->text();
    if (text.starts_with(bound.prefix)) return bound.is_behind ? -1 : 1;
    return text.compare(bound.prefix);
  }

  using Summary = double;  // the greatest weight
  static Summary of(const TermEntry& entry) { return entry.weight; }
  static Summary join(Summary a, Summary b) { return std::max(a, b); }
};

using TermTree = SummaryTree<TermEntry, TermTraits>;

}  // namespace millrace
