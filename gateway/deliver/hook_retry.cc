#include "gateway/deliver/hook_retry.h"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <string>

namespace millrace::gateway {
namespace {

using std::chrono::milliseconds;

constexpr int64_t kLongestRetryAfter = 86'400;

}  // namespace

milliseconds back_off_after(unsigned long attempts, milliseconds first, milliseconds longest, uint64_t random) {
  milliseconds pause = std::min(first, longest);
  for (unsigned long i = 1; i < attempts && pause < longest; ++i) pause = std::min(pause * 2, longest);
  const auto half = static_cast<uint64_t>(pause.count()) / 2;
  return pause - milliseconds(static_cast<int64_t>(half == 0 ? 0 : random % (half + 1)));
}

std::optional<milliseconds> parse_retry_after(std::string_view text, int64_t now) {
  int64_t seconds = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (problem != std::errc() || end != text.data() + text.size()) {
    std::tm date{};
    const std::string copy(text);
    const char* const stopped = strptime(copy.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date);
    if (stopped == nullptr || *stopped != '\0') return std::nullopt;
    seconds = std::max<int64_t>(timegm(&date) - now, 0);
  }
  if (seconds < 0) return std::nullopt;
  return std::chrono::seconds(std::min(seconds, kLongestRetryAfter));
}

}  // namespace millrace::gateway
