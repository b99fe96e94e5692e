// Frees evicted blocks, and what was known of tags, a slice at a time, so that evicting millions
// of messages is one short command and no long pause.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "engine/blocks/evicted_blocks.h"
#include "engine/log/compaction.h"

namespace millrace::module {

inline constexpr size_t kBlocksAtOnce = 256;

// Takes over blocks nobody needs. Up to kBlocksAtOnce are freed at once; of more, a slice
// (slice.h) every millisecond.
void reclaim(EvictedBlocks blocks);
// May be null.
void reclaim(std::unique_ptr<Compaction> unused);

// False where slices would not do: on another thread, which may take its time; while the
// host loads and fires no timers; and when memory is short, for the host then counts what
// deleting a key has freed and would delete another one.
bool may_reclaim_later();

// Frees at once what waits: the host is about to load, and no timer will fire meanwhile.
void reclaim_all();

// What waits to be freed.
uint64_t blocks_to_reclaim();
uint64_t tag_indexes_to_reclaim();

}  // namespace millrace::module
