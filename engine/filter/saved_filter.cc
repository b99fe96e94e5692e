#include "engine/filter/saved_filter.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/base/decoder.h"

namespace millrace {

namespace {

enum class SavedAccess : uint64_t { Everything = 0, Equalities = 1, Intervals = 2 };
enum class SavedValue : uint64_t { Null = 0, Boolean = 1, Whole = 2, Real = 3, String = 4 };

// More than best_access() and necessary_intervals() return.
constexpr uint64_t kMostItems = 4096;

void append_real(std::string& to, double number) {
  const auto bits = std::bit_cast<uint64_t>(number);
  for (int shift = 0; shift < 64; shift += 8) to += static_cast<char>(bits >> shift & 255);
}

double read_real(Decoder& in) {
  uint64_t bits = 0;
  const ByteView bytes = in.bytes(sizeof(bits));
  for (size_t i = 0; i < bytes.size(); ++i) bits |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return std::bit_cast<double>(bits);
}

void append_value(std::string& to, const Scalar& value) {
  const auto append_kind = [&](SavedValue kind) { append_varint(to, static_cast<uint64_t>(kind)); };
  switch (value.kind) {
    case ScalarKind::Null:
    case ScalarKind::Nested:
      return append_kind(SavedValue::Null);
    case ScalarKind::Boolean:
      append_kind(SavedValue::Boolean);
      return append_varint(to, value.boolean ? 1 : 0);
    case ScalarKind::Number:
      if (!value.number.is_whole()) {
        append_kind(SavedValue::Real);
        return append_real(to, value.number.approximate());
      }
      append_kind(SavedValue::Whole);
      return append_varint(
          to, static_cast<uint64_t>(value.number.whole()) << 1 ^ static_cast<uint64_t>(value.number.whole() >> 63));
    case ScalarKind::String:
      append_kind(SavedValue::String);
      append_varint(to, value.text.size());
      to += value.text;
  }
}

// False if it is invalid.
bool read_value(Decoder& in, ScalarView& value) {
  const uint64_t kind = in.number();
  if (!in.ok() || kind > static_cast<uint64_t>(SavedValue::String)) return false;
  switch (static_cast<SavedValue>(kind)) {
    case SavedValue::Null:
      value = {};
      break;
    case SavedValue::Boolean:
      value = ScalarView(in.number() != 0);
      break;
    case SavedValue::Whole: {
      const uint64_t bits = in.number();
      value = ScalarView(Number(static_cast<int64_t>(bits >> 1 ^ (0 - (bits & 1)))));
      break;
    }
    case SavedValue::Real: {
      const double number = read_real(in);
      if (!std::isfinite(number)) return false;
      value = ScalarView(Number(number));
      break;
    }
    case SavedValue::String:
      value = ScalarView(in.bytes(in.number()));
      break;
  }
  return in.ok();
}

// The same rule as in the parser of filters.
bool is_path(ByteView field) {
  return !field.empty() && std::ranges::count(field, '.') < static_cast<ptrdiff_t>(FilterLimits().path_names);
}

}  // namespace

Result<SavedFilter> SavedFilter::read(ByteView bytes) {
  const auto refuse = [] { return fail(ErrorCode::Corrupt, "a saved filter that is none"); };
  Decoder in(bytes);
  SavedFilter saved;
  const uint64_t access = in.number();
  if (!in.ok() || access > static_cast<uint64_t>(SavedAccess::Intervals)) return refuse();
  const uint64_t count = access == 0 ? 0 : in.number();
  if (!in.ok() || count > kMostItems || (access != 0 && count == 0)) return refuse();
  for (uint64_t i = 0; i < count; ++i) {
    const ByteView field = in.bytes(in.number());
    if (!in.ok() || !is_path(field)) return refuse();
    if (static_cast<SavedAccess>(access) == SavedAccess::Equalities) {
      saved.equalities_.push_back({field, {}});
      if (!read_value(in, saved.equalities_.back().value)) return refuse();
    } else {
      const double low = read_real(in);
      const double high = read_real(in);
      const auto is_same = [&](const IntervalView& each) { return each.field == field; };
      if (!in.ok() || std::isnan(low) || std::isnan(high)) return refuse();
      if (std::ranges::any_of(saved.intervals_, is_same)) return refuse();
      saved.intervals_.push_back({field, low, high});
    }
  }
  saved.json_ = in.rest();
  if (!in.ok() || saved.json_.size() > kNormalFormLimits.bytes) return refuse();
  return saved;
}

std::string saved_filter(ByteView json, const std::vector<Equality>& equalities,
                         const std::vector<Interval>& intervals) {
  std::string bytes;
  const auto append_field = [&](ByteView field) {
    append_varint(bytes, field.size());
    bytes += field;
  };
  const SavedAccess access = !equalities.empty()  ? SavedAccess::Equalities
                             : !intervals.empty() ? SavedAccess::Intervals
                                                  : SavedAccess::Everything;
  append_varint(bytes, static_cast<uint64_t>(access));
  if (access != SavedAccess::Everything) append_varint(bytes, std::max(equalities.size(), intervals.size()));
  for (const Equality& each : equalities) {
    append_field(each.field);
    append_value(bytes, each.value);
  }
  for (const Interval& each : intervals) {
    append_field(each.field);
    append_real(bytes, each.low);
    append_real(bytes, each.high);
  }
  return bytes.append(json);
}

}  // namespace millrace
