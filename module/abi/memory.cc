// C++ memory through the host's allocator, so that used_memory, maxmemory and MEMORY USAGE are true. These replace the
// global operators inside millrace.so only: nothing else sees them (module/exported.map), and libstdc++ is linked into
// the module. (docs/why.md says why it must be static.) The shared libraries that we use
// allocate by themselves, and free what they have allocated: RE2's memory is not in used_memory, zstd is told to use
// these.
#include <cstddef>
#include <new>

#include "module/abi/host.h"

namespace {

// Constructors of static objects run when the host opens the library, before its allocator is available to us. Their
// memory comes from here and is never freed.
alignas(std::max_align_t) char before_binding[16 * 1024];
size_t before_binding_used = 0;

void* allocate(size_t size) {
  if (millrace::abi::host.Alloc != nullptr) [[likely]] {
    return millrace::abi::host.Alloc(size == 0 ? 1 : size);
  }
  size = (size + alignof(std::max_align_t) - 1) & ~(alignof(std::max_align_t) - 1);
  if (size > sizeof(before_binding) - before_binding_used) __builtin_trap();
  void* taken = before_binding + before_binding_used;
  before_binding_used += size;
  return taken;
}

void release(void* memory) noexcept {
  if (memory == nullptr) return;
  auto* byte = static_cast<char*>(memory);
  if (byte >= before_binding && byte < before_binding + sizeof(before_binding)) return;
  millrace::abi::host.Free(memory);
}

}  // namespace

void* operator new(size_t size) { return allocate(size); }
void* operator new[](size_t size) { return allocate(size); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, size_t) noexcept { release(memory); }
void operator delete[](void* memory, size_t) noexcept { release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { release(memory); }
