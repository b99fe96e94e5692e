// Clocks for bench/instructions: each reading of any clock is 400 ns later than the previous one. So a server that is
// slowed down by counting its instructions sees the same time between two commands as without it.
#include <stdatomic.h>
#include <stddef.h>
#include <sys/time.h>
#include <time.h>

static _Atomic long readings;

int clock_gettime(clockid_t clock, struct timespec* now) {
  (void)clock;
  const long ns = 1700000000L * 1000000000L + 400L * ++readings;
  now->tv_sec = ns / 1000000000L;
  now->tv_nsec = ns % 1000000000L;
  return 0;
}

int gettimeofday(struct timeval* restrict now, void* restrict zone) {
  (void)zone;
  struct timespec precise;
  clock_gettime(CLOCK_REALTIME, &precise);
  now->tv_sec = precise.tv_sec;
  now->tv_usec = precise.tv_nsec / 1000;
  return 0;
}

time_t time(time_t* result) {
  struct timespec precise;
  clock_gettime(CLOCK_REALTIME, &precise);
  if (result != NULL) *result = precise.tv_sec;
  return precise.tv_sec;
}
