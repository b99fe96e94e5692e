#include "module/shard/pool_type.h"

#include <string>

#include "module/abi/clock.h"
#include "module/runtime/monotonic_agenda.h"

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

namespace millrace::abi {

void TypeTraits<Pool>::loaded(RdbReader& reader, Pool&) {
  module::monotonic_agenda::add({reader.database(), std::string(reader.key())}, monotonic_now());
}

}  // namespace millrace::abi
