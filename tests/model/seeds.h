// How often a test of random histories runs: a tenth of all seeds; with MILLRACE_LENGTH=full, as in ./test --all, all
// of them; with MILLRACE_LENGTH=quick, as in ./test --quick, a hundredth. With MILLRACE_SEED=<seed> only that history
// runs.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace millrace::testing {

inline std::string_view run_length() {
  const char* said = std::getenv("MILLRACE_LENGTH");
  return said != nullptr ? said : "";
}

// How many of `all` runs are made.
inline uint64_t runs_of(uint64_t all) {
  if (run_length() == "full") return all;
  return run_length() == "quick" ? std::max<uint64_t>(all / 100, 1) : std::min(all, std::max<uint64_t>(all / 10, 2));
}

// Whether the histories of this run are so many that whatever can happen in one has happened: false in a quick run, and
// if MILLRACE_SEED names one history.
inline bool everything_has_happened() { return std::getenv("MILLRACE_SEED") == nullptr && run_length() != "quick"; }

// Calls run(seed) for one seed after the other until a test fails; a failure names its seed.
template <class Run>
void run_seeds(uint64_t all, Run run) {
  const char* only = std::getenv("MILLRACE_SEED");
  const uint64_t first = only != nullptr ? std::strtoull(only, nullptr, 10) : 1;
  const uint64_t last = only != nullptr ? first : runs_of(all);
  for (uint64_t seed = first; seed <= last && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(::testing::Message() << "run again with MILLRACE_SEED=" << seed);
    run(seed);
  }
}

}  // namespace millrace::testing
