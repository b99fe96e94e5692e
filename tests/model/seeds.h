// How often a test of random histories runs. With MILLRACE_SEED=<seed> only that history runs; with MILLRACE_FULL,
// which ./test --all sets, all of them; otherwise a tenth.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace millrace::testing {

inline constexpr uint64_t kFewestSeeds = 2;

// How many of `all` runs are made.
inline uint64_t runs_of(uint64_t all) {
  return std::getenv("MILLRACE_FULL") != nullptr ? all : std::min(all, std::max(all / 10, kFewestSeeds));
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
