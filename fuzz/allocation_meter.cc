#include "fuzz/allocation_meter.h"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

uint64_t allocated = 0;

}  // namespace

uint64_t millrace::fuzz::allocated_bytes() { return allocated; }

// All forms, though the library's own would call the first: a sanitizer's would not.
// Over-aligned types, which have more forms, are not used by the engine.
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  allocated += size;
  return std::malloc(size == 0 ? 1 : size);
}
void* operator new(size_t size) {
  if (void* bytes = operator new(size, std::nothrow)) return bytes;
  throw std::bad_alloc();
}
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return operator new(size, std::nothrow); }
void* operator new[](size_t size) { return operator new(size); }
void operator delete(void* bytes) noexcept { std::free(bytes); }
void operator delete(void* bytes, size_t) noexcept { std::free(bytes); }
void operator delete(void* bytes, const std::nothrow_t&) noexcept { std::free(bytes); }
void operator delete[](void* bytes) noexcept { std::free(bytes); }
void operator delete[](void* bytes, size_t) noexcept { std::free(bytes); }
void operator delete[](void* bytes, const std::nothrow_t&) noexcept { std::free(bytes); }
