#include "module/shard/pool_type.h"

#include <string>

#include "module/abi/clock.h"

namespace millrace::module {

const HashKey& pool_hash_key() {
  static const HashKey key = [] {
    HashKey random;
    abi::fill_with_randomness(random);
    return random;
  }();
  return key;
}

}  // namespace millrace::module
