#include "cli/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace millrace::cli {
namespace {

constexpr int kBarWidth = 30;
constexpr std::chrono::milliseconds kBarInterval{200};
constexpr std::chrono::milliseconds kLineInterval{3000};

std::optional<double> fraction(const ProgressFacts& facts) {
  if (!facts.all_bytes || *facts.all_bytes == 0) return std::nullopt;
  return std::min(1.0, static_cast<double>(facts.bytes) / static_cast<double>(*facts.all_bytes));
}

std::string duration(double seconds) {
  const auto whole = std::lround(seconds);
  if (whole < 120) return std::to_string(whole) + " s";
  if (whole < 7200) return std::to_string(whole / 60) + " min";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
}

}  // namespace

std::string progress_text(const ProgressFacts& facts) {
  const auto part = fraction(facts);
  std::string text;
  if (part) text += std::to_string(static_cast<int>(*part * 100)) + " %, ";
  text += std::to_string(facts.done) + " records";
  if (facts.seconds <= 0) return text;
  text += ", " + std::to_string(static_cast<uint64_t>(static_cast<double>(facts.done) / facts.seconds)) + " a second";
  if (part && *part > 0) text += ", " + duration(facts.seconds * (1 - *part) / *part) + " left";
  return text;
}

std::string progress_bar(const ProgressFacts& facts) {
  const auto part = fraction(facts);
  if (!part) return progress_text(facts);
  const auto filled = static_cast<size_t>(*part * kBarWidth);
  return "[" + std::string(filled, '#') + std::string(kBarWidth - filled, ' ') + "] " + progress_text(facts);
}

Progress::Progress(std::string command, bool is_quiet)
    : command_(std::move(command)),
      is_quiet_(is_quiet),
      is_terminal_(isatty(STDERR_FILENO) == 1),
      interval_(is_terminal_ ? kBarInterval : kLineInterval),
      next_(Clock::now() + interval_) {}

void Progress::print(const ProgressFacts& facts) {
  if (is_terminal_) {
    std::fprintf(stderr, "\r\x1b[K%s", progress_bar(facts).c_str());
    std::fflush(stderr);
    has_bar_ = true;
  } else {
    std::fprintf(stderr, "%s: %s\n", command_.c_str(), progress_text(facts).c_str());
  }
}

void Progress::clear() {
  if (!has_bar_) return;
  std::fputs("\r\x1b[K", stderr);
  has_bar_ = false;
}

}  // namespace millrace::cli
