#include "module/log/log_type.h"

#include <string>

#include "engine/log/group_codec.h"
#include "engine/log/log_codec.h"
#include "engine/log/log_digest.h"
#include "engine/log/log_effects.h"
#include "engine/log/log_parts.h"
#include "module/log/log_object.h"
#include "module/log/log_resources.h"
#include "module/log/packing.h"
#include "module/runtime/counters.h"
#include "module/runtime/failure_point.h"
#include "module/runtime/reclaim.h"
#include "module/runtime/saved_blocks.h"

namespace millrace::abi {

namespace {

// A group travels as one string, the number of those with its pending messages, and
// these.
Result<void> load_group(RdbReader& reader, Log& log) {
  const auto group = reader.bytes();
  if (!group) return cut_short();
  module::failure_point("log.load-group");
  if (auto restored = restore_group(log, group->view()); !restored) return restored;
  return reader.strings([&](ByteView pending) { return restore_pending(log, pending); });
}

Result<Log> load_log(RdbReader& reader) {
  auto head_bytes = reader.bytes();
  if (!head_bytes) return cut_short();
  auto head = decode_log_head(head_bytes->view());
  if (!head) return std::unexpected(head.error());
  Log log;
  module::failure_point("log.load");
  auto append = [&](BlockHeader header, Buffer bytes) {
    return log.append_block(header, std::move(bytes), module::block_packer(), Log::Gaps::Allowed);
  };
  if (auto loaded = load_blocks(reader, head->blocks, append); !loaded) return std::unexpected(loaded.error());
  if (auto restored = log.restore_head(*head); !restored) return std::unexpected(restored.error());
  for (uint64_t i = 0; i < head->groups; ++i) {
    if (auto restored = load_group(reader, log); !restored) return std::unexpected(restored.error());
  }
  return log;
}

}  // namespace

std::unique_ptr<Log> TypeTraits<Log>::load(RdbReader& reader, int version) {
  // Of version 1 the head is another, which says so itself.
  auto log = version <= kEncodingVersion ? load_log(reader)
                                         : fail(ErrorCode::Corrupt, "written by a newer version of the module");
  if (!log) {
    ++module::counters.refused_payloads;
    reader.refuse("log", log.error());
    return nullptr;
  }
  return std::make_unique<Log>(std::move(*log));
}

// In slices, like what is evicted, wherever the host would free a large log in one piece.
void TypeTraits<Log>::release(Log& log) {
  if (log.block_count() <= module::kBlocksAtOnce || !module::may_reclaim_later()) return;
  module::reclaim(log.take_all_blocks());
  log.set_retention({});
  module::reclaim_tags(log.take_unused_compaction());
}

void TypeTraits<Log>::arrived(const KeyPlace& place, Hosted<Log>& value) {
  Dated::arrived(place, value);
  value.notes.packing.keep(place.database, place.name, value.object);
}

void TypeTraits<Log>::left(const KeyPlace& place, Hosted<Log>& value) {
  Dated::left(place, value);
  value.notes.packing.forget(place.database, place.name);
}

void TypeTraits<Log>::save(RdbWriter& writer, const Log& log) {
  writer.bytes(encode_log_head(log));
  module::failure_point("log.save");
  save_blocks(writer, log.messages());
  for (const auto& [name, group] : log.groups()) {
    writer.bytes(encode_group(name, group));
    module::failure_point("log.save-group");
    writer.strings(encode_pending(name, group));
  }
}

void TypeTraits<Log>::rewrite(AofWriter& writer, const Log& log) {
  each_part(log, [&](const LogEffect& part) {
    const char* word = kLogWords[static_cast<size_t>(part.kind)];
    if (part.kind == LogEffect::Kind::Block) return writer.emit(module::kApply, word, part.header, part.bytes);
    if (part.kind == LogEffect::Kind::Head) module::failure_point("log.rewrite");
    writer.emit(module::kApply, word, part.bytes);
  });
}

void TypeTraits<Log>::digest(DigestWriter& writer, const Log& log) { millrace::digest(log, writer); }

}  // namespace millrace::abi
