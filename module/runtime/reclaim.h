// Frees evicted blocks, and other things that can be freed in parts, a slice at a time, so that evicting millions of
// messages is one short command and no long pause.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "engine/blocks/evicted_blocks.h"

namespace millrace::module {

inline constexpr size_t kBlocksAtOnce = 256;

// Takes over blocks nobody needs. Up to kBlocksAtOnce are freed at once; of more, a slice
// (slice.h) every millisecond.
void reclaim(EvictedBlocks blocks);

// Something else that nobody needs.
class Reclaimable {
 public:
  virtual ~Reclaimable() = default;
  // Frees a part; false once nothing is left.
  virtual bool free_some() = 0;
};
void reclaim(std::unique_ptr<Reclaimable> unused);

// False where slices would not do: on another thread, which may take its time; while the
// host loads and fires no timers; and when memory is short, for the host then counts what
// deleting a key has freed and would delete another one.
bool may_reclaim_later();

// An object that is about to be freed, with parts() and a free_some() as above: takes its contents over if they are
// many and slices will do.
inline constexpr size_t kPartsAtOnce = 1000;
template <class Object>
void reclaim_parts(Object& object) {
  class Unused final : public Reclaimable {
   public:
    explicit Unused(Object&& unused) : unused_(std::move(unused)) {}
    bool free_some() override { return unused_.free_some(); }

   private:
    Object unused_;
  };
  if (object.parts() > kPartsAtOnce && may_reclaim_later()) reclaim(std::make_unique<Unused>(std::move(object)));
}

// Frees at once what waits: the host is about to load, and no timer will fire meanwhile.
void reclaim_all();

// What waits to be freed.
uint64_t blocks_to_reclaim();
uint64_t others_to_reclaim();

}  // namespace millrace::module
