// What the engine is given one of for the life of the process: it has no such state itself.
#pragma once

#include "engine/base/keyed_hash.h"
#include "engine/blocks/block_packer.h"

namespace millrace::module {

// Packs and restores all packed blocks. For the main thread alone.
BlockPacker& block_packer();

// A random key, by which compaction hashes tags.
const HashKey& tag_hash_key();

}  // namespace millrace::module
