// A clock of the turns of a server's event loop, for bench/holds: a turn is all that the main thread does from the end
// of one epoll_wait to the beginning of the next. Its processor time is measured inside the server, because a program
// that watches from outside cannot tell one turn from two.
//
// Preload it, and name a file of 16 bytes in MILLRACE_TURN_CLOCK: two numbers of 8 bytes, the nanoseconds of the longest
// turn since that number was last set to 0, and how many turns there were.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct turns {
  _Atomic long long longest;
  _Atomic long long count;
};

static struct turns* turns;
static int (*real_wait)(int, struct epoll_event*, int, int);

static long long read_clock(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

__attribute__((constructor)) static void begin(void) {
  real_wait = (int (*)(int, struct epoll_event*, int, int))dlsym(RTLD_NEXT, "epoll_wait");
  const char* name = getenv("MILLRACE_TURN_CLOCK");
  const int file = name == NULL ? -1 : open(name, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void* shared = mmap(NULL, sizeof(struct turns), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (shared != MAP_FAILED) turns = shared;
  close(file);
}

int epoll_wait(int set, struct epoll_event* events, int most, int milliseconds) {
  static long long began;  // in processor time; 0: not in a turn
  static long long woke;
  const int is_main = turns != NULL && gettid() == getpid();
  if (is_main && began != 0) {
    // The kernel may charge a thread for more than the time that has passed, when it serves interrupts meanwhile.
    const long long passed = read_clock(CLOCK_MONOTONIC) - woke;
    const long long busy = read_clock(CLOCK_THREAD_CPUTIME_ID) - began;
    const long long length = busy < passed ? busy : passed;
    long long longest = turns->longest;
    while (length > longest && !atomic_compare_exchange_weak(&turns->longest, &longest, length)) {
    }
    ++turns->count;
  }
  const int found = real_wait(set, events, most, milliseconds);
  if (is_main) {
    woke = read_clock(CLOCK_MONOTONIC);
    began = read_clock(CLOCK_THREAD_CPUTIME_ID);
  }
  return found;
}
