// Offsets as words: how commands name messages.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "engine/base/quoted.h"
#include "engine/log/log_requests.h"
#include "module/words/argument_reader.h"

namespace millrace::module {

// offset|start-end [offset|start-end ...] up to the end.
inline std::vector<OffsetRange> parse_ranges(ArgumentReader& reader) {
  std::vector<OffsetRange> ranges;
  do {
    const ByteView word = reader.word("offset or start-end");
    if (reader.failed()) break;
    const size_t dash = word.find('-');
    const ByteView ends[] = {word.substr(0, dash), dash == word.npos ? word : word.substr(dash + 1)};
    ArgumentReader parts(ends);
    const Offset from(parts.number("offset", 1, INT64_MAX));
    const Offset to(parts.number("offset", 1, INT64_MAX));
    if (parts.failed() || from > to) {
      reader.fail(ErrorCode::Range, "invalid offsets " + quoted(word) +
                                        ": expected an offset or start-end, from 1 to " + std::to_string(INT64_MAX) +
                                        ", start not above end");
    }
    ranges.push_back({from, to});
  } while (!reader.at_end());
  return ranges;
}

// The same messages, in their order, each in one range.
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
