// Frees evicted blocks a slice at a time, so that evicting millions of messages is one
// short command and no long pause.
#pragma once

#include <cstdint>

#include "engine/log/evicted_blocks.h"

namespace millrace::module {

// Takes over blocks nobody needs. A few are freed at once; of many, kBlocksPerSlice
// every millisecond.
void reclaim(EvictedBlocks blocks);

// Blocks that wait to be freed.
uint64_t blocks_to_reclaim();

}  // namespace millrace::module
