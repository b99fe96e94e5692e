#include "module/index/index_type.h"

#include <string>

#include "module/index/index_registry.h"
#include "module/runtime/reclaim.h"

namespace millrace::abi {

void TypeTraits<Index>::arrived(const KeyPlace& place, Hosted<Index>& value) {
  module::index_registry::loaded({place.database, std::string(place.name)}, &value.object);
}

void TypeTraits<Index>::left(const KeyPlace& place, Hosted<Index>&) {
  module::index_registry::remove({place.database, std::string(place.name)});
}

// In slices, wherever the host would free a large index in one piece.
void TypeTraits<Index>::release(Index& index) {
  // A key whose time to live is over is loaded and freed without ever being in a database.
  if (on_main_thread()) module::index_registry::forget(index);
  module::reclaim_parts(index);
}

}  // namespace millrace::abi
