// Frees evicted blocks and other large objects in slices, so that evicting millions of messages is a short command
// without a long pause.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "engine/blocks/evicted_blocks.h"

namespace millrace::module {

inline constexpr size_t kBlocksAtOnce = 256;

// Takes over blocks that are no longer needed. Up to kBlocksAtOnce are freed at once; if there are more, a slice
// (slice.h) every millisecond.
void reclaim(EvictedBlocks blocks);

// Another object that is no longer needed.
class Reclaimable {
 public:
  virtual ~Reclaimable() = default;
  // Frees a part; false once nothing is left.
  virtual bool free_some() = 0;
};
void reclaim(std::unique_ptr<Reclaimable> unused);

// False where freeing in slices is wrong or not needed: on a background thread, where a long free does no harm; while
// the host loads data and fires no timers; and when memory is short, because the host measures how much deleting a key
// has freed, and would delete another one.
bool may_reclaim_later();

// Called for an object that is about to be freed, with parts() and free_some() as above: takes over its contents if
// they are large and may be freed in slices.
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

// Frees everything that waits, at once: the host is about to load data, and no timer will fire meanwhile.
void reclaim_all();

// How much waits to be freed.
uint64_t blocks_to_reclaim();
uint64_t others_to_reclaim();

}  // namespace millrace::module
