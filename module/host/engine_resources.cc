#include "module/host/engine_resources.h"

#include "module/abi/context.h"

namespace millrace::module {

BlockPacker& block_packer() {
  static BlockPacker packer;
  return packer;
}

const HashKey& tag_hash_key() {
  static const HashKey key = [] {
    HashKey random;
    abi::fill_with_randomness(random);
    return random;
  }();
  return key;
}

}  // namespace millrace::module
