#include "module/abi/clock.h"

#include <sys/stat.h>
#include <time.h>

#include <cstdio>

namespace millrace::abi {

namespace {

// The kernel's random boot id, and the time namespace: each namespace has its own offset of the monotonic clock.
uint64_t read_identity() {
  std::FILE* file = std::fopen("/proc/sys/kernel/random/boot_id", "re");
  if (file == nullptr) return 0;
  unsigned first = 0, second = 0, third = 0;
  const int found = std::fscanf(file, "%8x-%4x-%4x", &first, &second, &third);
  std::fclose(file);
  if (found != 3) return 0;
  struct stat time_namespace {};
  if (stat("/proc/self/ns/time", &time_namespace) != 0) time_namespace.st_ino = 0;
  const uint64_t boot = uint64_t{first} << 32 | second << 16 | third;
  return boot ^ uint64_t { time_namespace.st_ino };
}

}  // namespace

MonotonicMs monotonic_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return MonotonicMs(static_cast<uint64_t>(now.tv_sec) * 1000 + static_cast<uint64_t>(now.tv_nsec) / 1'000'000);
}

uint64_t monotonic_clock_identity() {
  static const uint64_t identity = read_identity();
  return identity;
}

}  // namespace millrace::abi
