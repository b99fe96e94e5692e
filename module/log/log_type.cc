#include "module/log/log_type.h"

#include <string>

#include "module/log/log_object.h"
#include "module/log/log_resources.h"
#include "module/log/packing.h"
#include "module/runtime/reclaim.h"

namespace millrace::abi {

LogRestorer TypeTraits<Log>::restorer() { return LogRestorer(module::block_packer()); }

// Called where the host would free a large log at once: it is freed in slices instead, like evicted messages.
void TypeTraits<Log>::release(Log& log) {
  if (log.block_count() > module::kBlocksAtOnce && module::may_reclaim_later()) {
    module::reclaim(log.take_all_blocks());
    log.set_retention({});
    module::reclaim_tags(log.take_unused_compaction());
  }
  if (log.extras() != nullptr) module::reclaim_parts(*log.extras());
  log.forget_all_pending();
  Forgotten forgotten = log.take_forgotten();
  module::reclaim_parts(forgotten);
}

void TypeTraits<Log>::arrived(const KeyPlace& place, Hosted<Log>& value) {
  const auto date = module::ObjectTraits<Log>::first_date(value.object);
  if (date) value.notes.date.keep(place.database, place.name, *date);
  value.notes.packing.keep(place.database, place.name, value.object);
}

void TypeTraits<Log>::left(const KeyPlace& place, Hosted<Log>& value) {
  value.notes.date.forget(place.database, place.name);
  value.notes.packing.forget(place.database, place.name);
}

}  // namespace millrace::abi
