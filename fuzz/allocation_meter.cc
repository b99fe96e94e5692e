#include "fuzz/allocation_meter.h"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

uint64_t allocated = 0;

}  // namespace

uint64_t millrace::fuzz::allocated_bytes() { return allocated; }

// All forms are replaced: the library's other forms would call the first one, but a sanitizer's would not. The forms
// for over-aligned types are left out, because the engine has no such types.
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
