// Offsets as words: how commands name messages.
#pragma once

#include <vector>

#include "engine/log/log_requests.h"
#include "module/words/argument_reader.h"

namespace millrace::module {

// offset|start-end [offset|start-end ...] up to the end.
std::vector<OffsetRange> parse_ranges(ArgumentReader& reader);

// The same messages, in their order, each in one range.
std::vector<OffsetRange> without_repetition(std::vector<OffsetRange> ranges);

}  // namespace millrace::module
