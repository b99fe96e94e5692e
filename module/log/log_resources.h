// What the engine is given one of for the life of the process: it has no such state itself.
#pragma once

#include <memory>

#include "engine/blocks/block_packer.h"
#include "engine/log/compaction.h"
#include "engine/log/log_operations.h"

namespace millrace::module {

// Packs and restores all packed blocks. For the main thread alone.
BlockPacker& block_packer();

// As the settings stand now; the same object always.
const LogLimits& log_limits();

// Frees what a log knew of its tags, in slices. May be null.
void reclaim_tags(std::unique_ptr<Compaction> unused);

}  // namespace millrace::module
