#include "module/log/log_type.h"

#include <string>

#include "module/log/log_resources.h"
#include "module/log/packing.h"
#include "module/runtime/agenda.h"
#include "module/runtime/reclaim.h"

namespace millrace::abi {

LogRestorer TypeTraits<Log>::restorer() { return LogRestorer(module::block_packer()); }

void TypeTraits<Log>::loaded(RdbReader& reader, Log& log) {
  if (const auto due = log.wants_compaction() ? UnixMs(0) : log.next_date()) {
    log.promise(*due);
    module::agenda::add({reader.database(), std::string(reader.key())}, *due);
  }
  module::packing::see_to(log, [&] { return module::DatabaseKey{reader.database(), std::string(reader.key())}; });
}

// In slices, like what is evicted, wherever the host would free a large log in one piece.
void TypeTraits<Log>::release(std::unique_ptr<Log> log) {
  if (log->block_count() <= module::kBlocksAtOnce || !module::may_reclaim_later()) return;
  module::reclaim(log->take_all_blocks());
  log->set_retention({});
  module::reclaim_tags(log->take_unused_compaction());
}

}  // namespace millrace::abi
