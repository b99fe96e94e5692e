// Lets libFuzzer guide a target that is built with g++: g++ calls these functions where clang would count inline.
// (clang 14 cannot build the engine: it has no destructors with constraints, which libstdc++'s <expected> is made of.)
#include <cstddef>
#include <cstdint>

// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming): the sanitizers gave these names.
extern "C" void __sanitizer_cov_8bit_counters_init(uint8_t* begin, uint8_t* end);

namespace {

// Two places that share a counter look like one; with this many counters that is rare.
constexpr size_t kCounters = 1 << 14;
uint8_t counters[kCounters];

[[maybe_unused]] const bool kRegistered = [] {
  __sanitizer_cov_8bit_counters_init(counters, counters + kCounters);
  return true;
}();

}  // namespace

// libFuzzer's own version only reports that it no longer supports this; see CMakeLists.txt.
extern "C" void __sanitizer_cov_trace_pc() {
  const auto place = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
  ++counters[(place ^ place >> 14) % kCounters];
}

// Comparisons of floating-point numbers, which libFuzzer does not support; they are not used to guide it.
extern "C" void __sanitizer_cov_trace_cmpf(float, float) {}
extern "C" void __sanitizer_cov_trace_cmpd(double, double) {}
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)
