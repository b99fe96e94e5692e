#include "cli/moment.h"

#include <charconv>
#include <chrono>
#include <optional>
#include <string>

#include "cli/duration.h"

namespace millrace::cli {
namespace {

// Parses a text from the beginning.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool is_at_end() const { return text_.empty(); }
  bool skip(char c) {
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  // Parses a number of exactly `count` digits.
  std::optional<int> digits(size_t count) {
    if (text_.size() < count) return std::nullopt;
    int number = 0;
    const auto [end, problem] = std::from_chars(text_.data(), text_.data() + count, number);
    if (problem != std::errc() || end != text_.data() + count || number < 0) return std::nullopt;
    text_.remove_prefix(count);
    return number;
  }

 private:
  std::string_view text_;
};

std::optional<std::chrono::sys_days> read_day(Cursor& text) {
  const auto year = text.digits(4);
  if (!year || !text.skip('-')) return std::nullopt;
  const auto month = text.digits(2);
  if (!month || !text.skip('-')) return std::nullopt;
  const auto day = text.digits(2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date);
}

// Parses the time behind the T: 13:05, 13:05:30 or 13:05:30.123.
std::optional<int64_t> read_clock(Cursor& text) {
  const auto hour = text.digits(2);
  if (!hour || *hour > 23 || !text.skip(':')) return std::nullopt;
  const auto minute = text.digits(2);
  if (!minute || *minute > 59) return std::nullopt;
  int64_t time = (*hour * 60 + *minute) * 60'000;
  if (!text.skip(':')) return time;
  const auto second = text.digits(2);
  if (!second || *second > 60) return std::nullopt;
  time += *second * 1000;
  if (!text.skip('.')) return time;
  const auto fraction = text.digits(3);
  if (!fraction) return std::nullopt;
  return time + *fraction;
}

// Parses the time zone: nothing, Z, +02:00 or -05:30. Returns how many milliseconds its clock is ahead of UTC.
std::optional<int64_t> read_zone(Cursor& text) {
  if (text.is_at_end() || text.skip('Z')) return 0;
  const bool is_ahead = text.skip('+');
  if (!is_ahead && !text.skip('-')) return std::nullopt;
  const auto hours = text.digits(2);
  if (!hours || !text.skip(':')) return std::nullopt;
  const auto minutes = text.digits(2);
  if (!minutes) return std::nullopt;
  const int64_t ahead = (*hours * 60 + *minutes) * 60'000;
  return is_ahead ? ahead : -ahead;
}

std::optional<int64_t> read_date(std::string_view text) {
  Cursor left(text);
  const auto day = read_day(left);
  if (!day) return std::nullopt;
  const int64_t midnight = std::chrono::duration_cast<std::chrono::milliseconds>(day->time_since_epoch()).count();
  if (left.is_at_end()) return midnight;
  if (!left.skip('T') && !left.skip(' ')) return std::nullopt;
  const auto clock = read_clock(left);
  const auto ahead = clock ? read_zone(left) : std::nullopt;
  if (!ahead || !left.is_at_end()) return std::nullopt;
  return midnight + *clock - *ahead;
}

}  // namespace

client::Result<int64_t> parse_moment(std::string_view text, int64_t now) {
  if (const auto date = read_date(text)) return *date;
  const bool has_unit = !text.empty() && (text.back() == 's' || text.back() == 'm' || text.back() == 'h');
  if (const auto ago = parse_duration(text); has_unit && ago) return now - ago->count();
  return client::fail(client::ErrorCode::BadInput,
                      "'" + std::string(text) +
                          "' is no time: expected 2026-11-18T13:05:00Z, 2026-11-18, or how long ago: 30s, 10m, 2h");
}

}  // namespace millrace::cli
