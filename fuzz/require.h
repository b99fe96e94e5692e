// A condition that a fuzz target checks. Unlike assert, it is also active in a release build.
#pragma once

#include <cstdio>
#include <cstdlib>

#define REQUIRE(condition)                                                                       \
  do {                                                                                           \
    if (!(condition)) {                                                                          \
      std::fprintf(stderr, "%s:%d: it does not hold that %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                              \
    }                                                                                            \
  } while (false)
