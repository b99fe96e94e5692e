// A whole log as one string and back, for tests and fuzzers (object_strings.h).
#pragma once

#include <string>

#include "engine/log/log_parts.h"
#include "tests/model/object_strings.h"
#include "tests/model/test_packer.h"

namespace millrace::testing {

inline std::string log_to_bytes(const Log& log) {
  return strings_of(kLogParts, [&](const PartVisit& visit) { each_part(log, visit); });
}

inline Result<Log> log_from_bytes(ByteView bytes) {
  LogRestorer restorer(test_packer());
  if (auto added = add_strings(restorer, kLogParts, bytes, [] {}); !added) return std::unexpected(added.error());
  return restorer.finish();
}

}  // namespace millrace::testing
