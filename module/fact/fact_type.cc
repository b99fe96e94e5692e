#include "module/fact/fact_type.h"

#include "module/abi/clock.h"
#include "module/runtime/reclaim.h"

namespace millrace::module {

const HashKey& fact_hash_key() {
  static const HashKey key = [] {
    HashKey random;
    abi::fill_with_randomness(random);
    return random;
  }();
  return key;
}

}  // namespace millrace::module

namespace millrace::abi {

void TypeTraits<FactGraph>::release(FactGraph& graph) { module::reclaim_parts(graph); }

}  // namespace millrace::abi
