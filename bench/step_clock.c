// A world without chance for bench/callgrind.py. Each reading of any clock is 400 ns later than the previous one: a server
// that is slowed down by counting its instructions sees the same time between two commands as without it. And the random
// bytes are those of HASH_SEED: otherwise the places of keys and commands in the host's hash tables differ between two
// servers, and an entry more in a chain is 2 % of a GET.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

typedef FILE* (*Open)(const char*, const char*);

static FILE* opened(const char* path, const char* mode, const char* by) {
  // Valkey 9.1 takes the time from the processor if it finds its rate there.
  if (strcmp(path, "/proc/cpuinfo") == 0) return NULL;
  const char* seed = getenv("HASH_SEED");
  if (seed == NULL || strcmp(path, "/dev/urandom") != 0) return ((Open)dlsym(RTLD_NEXT, by))(path, mode);
  static char bytes[4096];
  memset(bytes, atoi(seed), sizeof bytes);
  return fmemopen(bytes, sizeof bytes, "r");
}

FILE* fopen(const char* path, const char* mode) { return opened(path, mode, "fopen"); }
FILE* fopen64(const char* path, const char* mode) { return opened(path, mode, "fopen64"); }
