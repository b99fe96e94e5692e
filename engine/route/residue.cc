#include "engine/route/residue.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace millrace {

namespace {

void set(auto& bits, size_t at) { bits[at / 64] |= uint64_t{1} << (at % 64); }
void reset(auto& bits, size_t at) { bits[at / 64] &= ~(uint64_t{1} << (at % 64)); }
bool has(const auto& bits, size_t at) { return (bits[at / 64] >> (at % 64) & 1) != 0; }

size_t count(const auto& bits) {
  size_t sum = 0;
  for (uint64_t word : bits) sum += static_cast<size_t>(std::popcount(word));
  return sum;
}

// The piece that a number is in.
size_t piece_of(const std::vector<double>& cuts, double number) {
  return static_cast<size_t>(std::ranges::upper_bound(cuts, number) - cuts.begin());
}

}  // namespace

void Residue::restrict(Bits& candidates, const Line& line, const FieldValues& document) {
  const auto values = document.values(line.field);
  // Of several numbers one may satisfy one border and another the other.
  if (values.size() > 1) return;
  if (values.empty() || values.front().kind != ScalarKind::Number) {
    for (size_t i = 0; i < kWords; ++i) candidates[i] &= ~line.bounding[i];
    return;
  }
  const Bits& allowed = line.allowed[piece_of(line.cuts, values.front().number.approximate())];
  for (size_t i = 0; i < kWords; ++i) candidates[i] &= allowed[i];
}

void Residue::put(Line& line, size_t position, const Bound& bound) {
  set(line.bounding, position);
  const size_t first = piece_of(line.cuts, bound.low);
  const size_t last = piece_of(line.cuts, bound.high);
  for (size_t i = 0; i < line.allowed.size(); ++i) {
    first <= i&& i <= last ? set(line.allowed[i], position) : reset(line.allowed[i], position);
  }
}

// A position that no filter bounds is allowed everywhere.
void Residue::free(Line& line, size_t position) {
  reset(line.bounding, position);
  for (Bits& bits : line.allowed) set(bits, position);
}

Residue::Line& Residue::line_of(FieldId field) {
  const auto found = std::ranges::find(lines_, field, &Line::field);
  if (found != lines_.end()) return *found;
  Bits all;
  all.fill(UINT64_MAX);
  return lines_.emplace_back(Line{.field = field, .cuts = {}, .allowed = {all}});
}

// Cuts the line where there are as many borders in each piece.
void Residue::cut(Line& line) {
  std::vector<double> borders;
  for (size_t i = 0; i < members_.size(); ++i) {
    if (!has(used_, i)) continue;
    for (const Bound& bound : members_[i].bounds) {
      if (bound.field != line.field) continue;
      if (std::isfinite(bound.low)) borders.push_back(bound.low);
      if (std::isfinite(bound.high)) borders.push_back(bound.high);
    }
  }
  std::ranges::sort(borders);
  line.bounding_when_cut = count(line.bounding);
  const size_t pieces = std::min(kPieces, borders.size() + 1);
  line.cuts.clear();
  for (size_t i = 1; i < pieces; ++i) line.cuts.push_back(borders[i * borders.size() / pieces]);
  line.cuts.erase(std::unique(line.cuts.begin(), line.cuts.end()), line.cuts.end());
  Bits all;
  all.fill(UINT64_MAX);
  line.allowed.assign(line.cuts.size() + 1, all);
  for (size_t i = 0; i < members_.size(); ++i) {
    if (!has(used_, i)) continue;
    for (const Bound& bound : members_[i].bounds) {
      if (bound.field == line.field) put(line, i, bound);
    }
  }
}

void Residue::add(FilterSlot filter, std::vector<Bound> bounds) {
  size_t position = 0;
  while (position < members_.size() && has(used_, position)) ++position;
  if (position == members_.size()) members_.emplace_back();
  set(used_, position);
  ++count_;
  members_[position] = {filter, std::move(bounds)};
  for (const Bound& bound : members_[position].bounds) {
    Line& line = line_of(bound.field);
    put(line, position, bound);
    // As often as it doubles.
    if (count(line.bounding) > 2 * line.bounding_when_cut) cut(line);
  }
}

bool Residue::remove(FilterSlot filter) {
  for (size_t i = 0; i < members_.size(); ++i) {
    if (!has(used_, i) || members_[i].filter != filter) continue;
    for (const Bound& bound : members_[i].bounds) {
      Line& line = line_of(bound.field);
      free(line, i);
      if (std::ranges::all_of(line.bounding, [](uint64_t word) { return word == 0; })) {
        std::erase_if(lines_, [&](const Line& each) { return each.field == bound.field; });
      }
    }
    reset(used_, i);
    members_[i] = {};
    --count_;
    return true;
  }
  return false;
}

uint64_t Residue::memory() const {
  uint64_t bytes = members_.capacity() * sizeof(Member) + lines_.capacity() * sizeof(Line);
  for (const Member& member : members_) bytes += member.bounds.capacity() * sizeof(Bound);
  for (const Line& line : lines_)
    bytes += line.allowed.capacity() * sizeof(Bits) + line.cuts.capacity() * sizeof(double);
  return bytes;
}

const char* Residue::check() const {
  size_t used = 0;
  for (size_t i = 0; i < members_.size(); ++i) {
    used += has(used_, i);
    for (const Line& line : lines_) {
      const auto bound = std::ranges::find(members_[i].bounds, line.field, &Bound::field);
      const bool bounds = has(used_, i) && bound != members_[i].bounds.end();
      if (has(line.bounding, i) != bounds) return "a line does not know who bounds it";
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
