#include "module/route/route_type.h"

#include <string>

#include "module/runtime/agenda.h"

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

namespace millrace::abi {

void TypeTraits<RouteTable>::loaded(RdbReader& reader, RouteTable& table) {
  if (const auto due = table.next_date()) {
    table.promise(*due);
    module::agenda::add({reader.database(), std::string(reader.key())}, *due);
  }
}

}  // namespace millrace::abi
