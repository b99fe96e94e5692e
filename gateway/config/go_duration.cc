#include "gateway/config/go_duration.h"

#include <charconv>

namespace millrace::gateway {
namespace {

constexpr double kLongestMs = 100.0 * 366 * 86'400 * 1000;

struct Unit {
  std::string_view name;
  double milliseconds;
};
// If one unit's name begins with another one, the longer name comes first.
constexpr Unit kUnits[] = {{"ms", 1},        {"us", 1e-3},  {"µs", 1e-3}, {"ns", 1e-6},
                           {"h", 3'600'000}, {"m", 60'000}, {"s", 1000}};

}  // namespace

std::optional<std::chrono::milliseconds> parse_go_duration(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return std::chrono::milliseconds(0);
  if (text.empty()) return std::nullopt;
  double sum = 0;
  while (!text.empty()) {
    // from_chars takes a sign, an exponent and words such as "inf", which Go does not.
    const size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
    if (digits == 0 || digits > 30) return std::nullopt;
    double number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + digits, number, std::chars_format::fixed);
    if (problem != std::errc() || end != text.data() + digits) return std::nullopt;
    text.remove_prefix(digits);
    const Unit* found = nullptr;
    for (const Unit& unit : kUnits) {
      if (text.starts_with(unit.name)) {
        found = &unit;
        break;
      }
    }
    if (found == nullptr) return std::nullopt;
    text.remove_prefix(found->name.size());
    sum += number * found->milliseconds;
    if (sum > kLongestMs) return std::nullopt;
  }
  return std::chrono::milliseconds(static_cast<int64_t>(sum));
}

std::string go_duration(std::chrono::milliseconds time) {
  const auto count = time.count();
  return count % 1000 == 0 ? std::to_string(count / 1000) + "s" : std::to_string(count) + "ms";
}

}  // namespace millrace::gateway
