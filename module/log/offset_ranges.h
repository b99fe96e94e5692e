// Offsets as words: how commands name messages.
#pragma once

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "engine/base/quoted.h"
#include "engine/log/log_requests.h"
#include "module/words/argument_reader.h"

namespace millrace::module {

// nullopt if the word is neither an offset nor start-end.
inline std::optional<OffsetRange> parse_range(ByteView word) {
  const char* const end = word.data() + word.size();
  uint64_t from = 0;
  std::from_chars_result read = std::from_chars(word.data(), end, from);
  uint64_t to = from;
  if (read.ec == std::errc() && read.ptr != end && *read.ptr == '-') read = std::from_chars(read.ptr + 1, end, to);
  const bool is_range = read.ec == std::errc() && read.ptr == end && from >= 1 && from <= to && to <= INT64_MAX;
  return is_range ? std::optional(OffsetRange{Offset(from), Offset(to)}) : std::nullopt;
}

// offset|start-end [offset|start-end ...] up to the end.
inline std::vector<OffsetRange> parse_ranges(ArgumentReader& reader) {
  std::vector<OffsetRange> ranges;
  ranges.reserve(reader.left());
  do {
    const ByteView word = reader.word("offset or start-end");
    if (reader.failed()) break;
    if (const auto range = parse_range(word)) {
      ranges.push_back(*range);
    } else {
      reader.fail(ErrorCode::Range, "invalid offsets " + quoted(word) +
                                        ": expected an offset or start-end, from 1 to " + std::to_string(INT64_MAX) +
                                        ", start not above end");
    }
  } while (!reader.at_end());
  return ranges;
}

// The same messages as sorted ranges without overlap.
inline std::vector<OffsetRange> without_repetition(std::vector<OffsetRange> ranges) {
  std::ranges::sort(ranges, {}, &OffsetRange::from);
  std::vector<OffsetRange> distinct;
  for (const OffsetRange& range : ranges) {
    if (distinct.empty() || distinct.back().to < range.from) {
      distinct.push_back(range);
    } else {
      distinct.back().to = std::max(distinct.back().to, range.to);
    }
  }
  return distinct;
}

}  // namespace millrace::module
