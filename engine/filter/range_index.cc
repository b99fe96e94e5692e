#include "engine/filter/range_index.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

namespace millrace {

namespace {

void set(auto& bits, size_t at) { bits[at / 64] |= uint64_t{1} << (at % 64); }
void reset(auto& bits, size_t at) { bits[at / 64] &= ~(uint64_t{1} << (at % 64)); }
bool has(const auto& bits, size_t at) { return (bits[at / 64] >> (at % 64) & 1) != 0; }

// The piece that a number is in: how many cuts are not greater. A search without branches, because half of them would
// be mispredicted.
size_t piece_of(const std::vector<double>& cuts, double number) {
  size_t at = 0;
  for (size_t left = cuts.size(); left > 0;) {
    const size_t half = (left + 1) / 2;
    at += half * static_cast<size_t>(cuts[at + half - 1] <= number);
    left -= half;
  }
  return at;
}

}  // namespace

const RangeIndex::Bits* RangeIndex::allowed(const Line& line, const FieldValues& document) {
  const auto values = document.values(line.field);
  // With several numbers, one may satisfy one bound and another the other.
  if (values.size() > 1) return nullptr;
  if (values.empty() || values.front().kind != ScalarKind::Number) return &line.not_bounding;
  return &line.allowed[piece_of(line.cuts, values.front().number.approximate())];
}

RangeIndex::Bits RangeIndex::all() {
  Bits bits;
  bits.fill(UINT64_MAX);
  return bits;
}

size_t RangeIndex::count_bounding(const Line& line) {
  size_t others = 0;
  for (uint64_t word : line.not_bounding) others += static_cast<size_t>(std::popcount(word));
  return kCapacity - others;
}

void RangeIndex::restrict(Bits& candidates, const FieldValues& document) const {
  std::array<const Bits*, kTogether> rows;
  for (size_t begin = 0; begin < lines_.size(); begin += kTogether) {
    size_t count = 0;
    for (const Line& line : std::span(lines_).subspan(begin, std::min(kTogether, lines_.size() - begin))) {
      const Bits* row = allowed(line, document);
      if (row == nullptr) continue;
      rows[count++] = row;
      constexpr size_t kWordsOfLine = 8;
      for (size_t word = 0; word < kWords; word += kWordsOfLine) __builtin_prefetch(row->data() + word);
    }
    for (const Bits* row : std::span(rows).first(count)) {
      for (size_t i = 0; i < kWords; ++i) candidates[i] &= (*row)[i];
    }
  }
}

void RangeIndex::put(Line& line, size_t position, const Bound& bound) {
  reset(line.not_bounding, position);
  const size_t first = piece_of(line.cuts, bound.low);
  const size_t last = piece_of(line.cuts, bound.high);
  for (size_t i = 0; i < line.allowed.size(); ++i) {
    first <= i&& i <= last ? set(line.allowed[i], position) : reset(line.allowed[i], position);
  }
}

// A position that no filter bounds is allowed everywhere.
void RangeIndex::free(Line& line, size_t position) {
  set(line.not_bounding, position);
  for (Bits& bits : line.allowed) set(bits, position);
}

RangeIndex::Line& RangeIndex::line_of(FieldId field) {
  const auto found = std::ranges::find(lines_, field, &Line::field);
  if (found != lines_.end()) return *found;
  return lines_.emplace_back(Line{.field = field, .cuts = {}, .allowed = {all()}, .not_bounding = all()});
}

// Cuts the line so that each piece has the same number of bounds.
void RangeIndex::cut(Line& line) {
  std::vector<double> borders;
  for (size_t i = 0; i < filters_.size(); ++i) {
    if (!has(used_, i)) continue;
    for (const Bound& bound : bounds_[i]) {
      if (bound.field != line.field) continue;
      if (std::isfinite(bound.low)) borders.push_back(bound.low);
      if (std::isfinite(bound.high)) borders.push_back(bound.high);
    }
  }
  std::ranges::sort(borders);
  line.bounding_when_cut = count_bounding(line);
  const size_t pieces = std::min(kPieces, borders.size() + 1);
  line.cuts.clear();
  for (size_t i = 1; i < pieces; ++i) line.cuts.push_back(borders[i * borders.size() / pieces]);
  line.cuts.erase(std::unique(line.cuts.begin(), line.cuts.end()), line.cuts.end());
  line.allowed.assign(line.cuts.size() + 1, all());
  for (size_t i = 0; i < filters_.size(); ++i) {
    if (!has(used_, i)) continue;
    for (const Bound& bound : bounds_[i]) {
      if (bound.field == line.field) put(line, i, bound);
    }
  }
}

void RangeIndex::add(FilterSlot filter, std::vector<Bound> bounds) {
  size_t position = 0;
  while (position < filters_.size() && has(used_, position)) ++position;
  if (position == filters_.size()) {
    filters_.emplace_back();
    bounds_.emplace_back();
  }
  set(used_, position);
  ++count_;
  filters_[position] = filter;
  bounds_[position] = std::move(bounds);
  for (const Bound& bound : bounds_[position]) {
    Line& line = line_of(bound.field);
    put(line, position, bound);
    // Cut again whenever the number of filters has doubled.
    if (count_bounding(line) > 2 * line.bounding_when_cut) cut(line);
  }
}

bool RangeIndex::remove(FilterSlot filter) {
  for (size_t i = 0; i < filters_.size(); ++i) {
    if (!has(used_, i) || filters_[i] != filter) continue;
    for (const Bound& bound : bounds_[i]) {
      Line& line = line_of(bound.field);
      free(line, i);
      if (count_bounding(line) == 0) {
        std::erase_if(lines_, [&](const Line& each) { return each.field == bound.field; });
      }
    }
    reset(used_, i);
    bounds_[i] = {};
    --count_;
    return true;
  }
  return false;
}

uint64_t RangeIndex::memory() const {
  uint64_t bytes = filters_.capacity() * sizeof(FilterSlot) + lines_.capacity() * sizeof(Line);
  bytes += bounds_.capacity() * sizeof(std::vector<Bound>);
  for (const auto& bounds : bounds_) bytes += bounds.capacity() * sizeof(Bound);
  for (const Line& line : lines_) {
    bytes += line.allowed.capacity() * sizeof(Bits) + line.cuts.capacity() * sizeof(double);
  }
  return bytes;
}

const char* RangeIndex::check() const {
  size_t used = 0;
  for (size_t i = 0; i < filters_.size(); ++i) {
    used += has(used_, i);
    for (const Line& line : lines_) {
      const auto bound = std::ranges::find(bounds_[i], line.field, &Bound::field);
      const bool bounds = has(used_, i) && bound != bounds_[i].end();
      if (has(line.not_bounding, i) == bounds) return "a line does not know who bounds it";
      for (size_t piece = 0; piece < line.allowed.size(); ++piece) {
        const bool allows =
            !bounds || (piece_of(line.cuts, bound->low) <= piece && piece <= piece_of(line.cuts, bound->high));
        if (has(line.allowed[piece], i) != allows) return "a piece of a line is wrong about who allows it";
      }
    }
  }
  return used == count_ ? nullptr : "the count of filters is wrong";
}

}  // namespace millrace
