#include "module/runtime/hash_key.h"

#include "module/abi/context.h"

namespace millrace::module {

const HashKey& hash_key() {
  static const HashKey key = [] {
    HashKey random;
    abi::fill_with_randomness(random);
    return random;
  }();
  return key;
}

}  // namespace millrace::module
