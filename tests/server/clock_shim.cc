// A wall clock that a test can set: loaded into the server before libc, it adds the number
// of seconds that stands in the file named by CLOCK_SHIM. The monotonic clock stays.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

#include <cstdint>
#include <cstdlib>

namespace {

int64_t step_seconds() {
  static const volatile int64_t* const seconds = [] {
    const int file = open(getenv("CLOCK_SHIM"), O_RDONLY);
    void* mapped = mmap(nullptr, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
    return static_cast<const volatile int64_t*>(mapped);
  }();
  return *seconds;
}

template <class Function>
Function* original(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* now) noexcept {
  static auto* const real = original<int(clockid_t, timespec*)>("clock_gettime");
  const int result = real(clock, now);
  if (clock == CLOCK_REALTIME) now->tv_sec += step_seconds();
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
