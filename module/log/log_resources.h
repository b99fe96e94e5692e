// Objects that exist once per process and are passed to the engine, which has no such state itself.
#pragma once

#include <memory>

#include "engine/blocks/block_packer.h"
#include "engine/log/compaction.h"
#include "engine/log/log_operations.h"

namespace millrace::module {

// Packs and restores all packed blocks. For the main thread only.
BlockPacker& block_packer();

// The limits in the current settings. Always returns the same object.
const LogLimits& log_limits();

// Frees an unused compaction index, in slices. May be null.
void reclaim_tags(std::unique_ptr<Compaction> unused);

}  // namespace millrace::module
