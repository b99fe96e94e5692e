#include "module/index/index_type.h"

#include <string>
#include <utility>

#include "module/index/index_registry.h"
#include "module/runtime/reclaim.h"

namespace millrace::abi {

namespace {

class UnusedIndex final : public module::Reclaimable {
 public:
  explicit UnusedIndex(Index index) : index_(std::move(index)) {}
  bool free_some() override { return index_.free_some(); }

 private:
  Index index_;
};

}  // namespace

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
  constexpr size_t kAtOnce = 1000;
  if (index.documents().size() <= kAtOnce || !module::may_reclaim_later()) return;
  module::reclaim(std::make_unique<UnusedIndex>(std::move(index)));
}

}  // namespace millrace::abi
