#include "cli/duration.h"

#include <charconv>
#include <string>

namespace millrace::cli {

client::Result<std::chrono::milliseconds> parse_duration(std::string_view text) {
  constexpr struct {
    std::string_view name;
    double milliseconds;
  } kUnits[] = {{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"", 1000}};
  constexpr double kDay = 86'400'000;

  double number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  const std::string_view unit(parsed.ptr, static_cast<size_t>(end - parsed.ptr));
  for (const auto& known : kUnits) {
    const double time = number * known.milliseconds;
    if (parsed.ec == std::errc() && unit == known.name && time >= 1 && time <= kDay) {
      return std::chrono::milliseconds(static_cast<int64_t>(time));
    }
  }
  return client::fail(client::ErrorCode::BadInput,
                      "'" + std::string(text) + "' is no time: expected 500ms, 30s, 2m or 1h, from 1ms to 24h");
}

}  // namespace millrace::cli
