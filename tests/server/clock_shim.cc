// A wall clock that a test can set. The library is loaded into the server before libc and reads five numbers from the
// file named by CLOCK_SHIM, all in milliseconds: how far ahead the clock is; the time at which it stands still (0: it
// runs); how far a clock that stands still advances with each reading; how far the monotonic clock advances with each
// reading, in addition to the time that passes; and how far ahead the monotonic clock is.
//
// A host that reads its monotonic clock from the processor's counter would not see any of this. It does so only if
// /proc/cpuinfo says that the counter is constant, so that file is empty here. And a module that a host binds to libc
// first (RTLD_DEEPBIND) would read libc's clock, so modules are loaded without that.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct Settings {
  int64_t ahead_ms;
  int64_t stopped_at_ms;
  int64_t each_reading_ms;
  int64_t monotonic_each_reading_ms;
  int64_t monotonic_ahead_ms;
};

std::atomic<int64_t> gone_on_ms = 0;
std::atomic<int64_t> monotonic_gone_on_ms = 0;

const volatile Settings& settings() {
  static const volatile Settings* const mapped = [] {
    const int file = open(getenv("CLOCK_SHIM"), O_RDONLY);
    return static_cast<const volatile Settings*>(mmap(nullptr, sizeof(Settings), PROT_READ, MAP_SHARED, file, 0));
  }();
  return *mapped;
}

template <class Function>
Function* original(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

const char* replaced(const char* path) { return strcmp(path, "/proc/cpuinfo") == 0 ? "/dev/null" : path; }

timespec from_ns(int64_t ns) { return {ns / 1'000'000'000, ns % 1'000'000'000}; }

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* now) noexcept {
  static auto* const real = original<int(clockid_t, timespec*)>("clock_gettime");
  const int result = real(clock, now);
  const int64_t ns = now->tv_sec * 1'000'000'000 + now->tv_nsec;
  if (clock == CLOCK_MONOTONIC) {
    monotonic_gone_on_ms += settings().monotonic_each_reading_ms;
    *now = from_ns(ns + (monotonic_gone_on_ms + settings().monotonic_ahead_ms) * 1'000'000);
  }
  if (clock != CLOCK_REALTIME) return result;
  const int64_t stopped_at = settings().stopped_at_ms;
  *now = from_ns(stopped_at != 0 ? (stopped_at + (gone_on_ms += settings().each_reading_ms)) * 1'000'000
                                 : ns + settings().ahead_ms * 1'000'000);
  return result;
}

extern "C" int gettimeofday(timeval* now, void*) noexcept {
  timespec precise;
  const int result = clock_gettime(CLOCK_REALTIME, &precise);
  now->tv_sec = precise.tv_sec;
  now->tv_usec = precise.tv_nsec / 1000;
  return result;
}

extern "C" time_t time(time_t* result) noexcept {
  timespec precise;
  clock_gettime(CLOCK_REALTIME, &precise);
  if (result != nullptr) *result = precise.tv_sec;
  return precise.tv_sec;
}

extern "C" FILE* fopen(const char* path, const char* mode) {
  static auto* const real = original<FILE*(const char*, const char*)>("fopen");
  return real(replaced(path), mode);
}

extern "C" FILE* fopen64(const char* path, const char* mode) {
  static auto* const real = original<FILE*(const char*, const char*)>("fopen64");
  return real(replaced(path), mode);
}

extern "C" void* dlopen(const char* path, int flags) noexcept {
  static auto* const real = original<void*(const char*, int)>("dlopen");
  return real(path, flags & ~RTLD_DEEPBIND);
}
