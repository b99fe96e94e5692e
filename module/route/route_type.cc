#include "module/route/route_type.h"

#include <string>

namespace millrace::module {

const HashKey& route_hash_key() {
  static const HashKey key = [] {
    HashKey bytes;
    abi::fill_with_randomness(bytes);
    return bytes;
  }();
  return key;
}

}  // namespace millrace::module
