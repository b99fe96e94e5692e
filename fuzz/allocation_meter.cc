#include "fuzz/allocation_meter.h"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

uint64_t allocated = 0;

}  // namespace

uint64_t millrace::fuzz::allocated_bytes() { return allocated; }

// The array and nothrow forms of the library call these. Over-aligned types, which
// have forms of their own, are not used by the engine.
void* operator new(size_t size) {
  allocated += size;
  if (void* bytes = std::malloc(size == 0 ? 1 : size)) return bytes;
  throw std::bad_alloc();
}
void operator delete(void* bytes) noexcept { std::free(bytes); }
void operator delete(void* bytes, size_t) noexcept { std::free(bytes); }
