// How often a test of random histories runs: a tenth of all seeds, all of them with MILLRACE_LENGTH=full, as in
// ./test --all, a hundredth with MILLRACE_LENGTH=quick, as in ./test --quick. With MILLRACE_SEED=<seed> only that
// history runs.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace millrace::testing {

inline constexpr uint64_t kFewestSeeds = 2;

// How many of `all` runs are made.
inline uint64_t runs_of(uint64_t all) {
  const char* said = std::getenv("MILLRACE_LENGTH");
  const std::string_view length = said != nullptr ? said : "";
  const uint64_t share = length == "full" ? 1 : length == "quick" ? 100 : 10;
  return std::min(all, std::max(all / share, kFewestSeeds));
}

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
