#include "module/host/log_type.h"

#include <string>

#include "engine/log/log_codec.h"
#include "module/host/counters.h"
#include "module/host/reclaim.h"

namespace millrace::abi {

namespace {

Result<Log> load_log(RdbReader& reader) {
  const auto cut_short = [] { return fail(ErrorCode::Corrupt, "the payload ends too early"); };
  auto head_bytes = reader.bytes();
  if (!head_bytes) return cut_short();
  auto head = decode_log_head(head_bytes->view());
  if (!head) return std::unexpected(head.error());
  Log log;
  for (uint64_t i = 0; i < head->blocks; ++i) {
    auto header_bytes = reader.bytes();
    auto bytes = header_bytes ? reader.bytes() : std::nullopt;
    if (!bytes) return cut_short();
    auto header = decode_block_header(header_bytes->view());
    if (!header) return std::unexpected(header.error());
    if (auto added = log.append_block(*header, std::move(*bytes)); !added) return std::unexpected(added.error());
  }
  if (auto restored = log.restore_head(*head); !restored) return std::unexpected(restored.error());
  return log;
}

}  // namespace

std::unique_ptr<Log> TypeTraits<Log>::load(RdbReader& reader, int version) {
  auto log = version == encoding_version ? load_log(reader)
                                         : fail(ErrorCode::Corrupt, "written by a newer version of the module");
  if (!log) {
    ++module::counters.refused_payloads;
    reader.refuse("log", log.error());
    return nullptr;
  }
  module::keep_dates({reader.database(), std::string(reader.key())}, *log);
  return std::make_unique<Log>(std::move(*log));
}

void TypeTraits<Log>::save(RdbWriter& writer, const Log& log) {
  writer.bytes(encode_log_head(log));
  log.each_block([&](const Block& block) {
    writer.bytes(encode_block_header(block));
    writer.bytes(block.bytes());
  });
}

void TypeTraits<Log>::rewrite(AofWriter& writer, const Log& log) {
  log.each_block([&](const Block& block) {
    writer.emit(module::kApply, module::kApplyBlock, encode_block_header(block), block.bytes());
  });
  writer.emit(module::kApply, module::kApplyHead, encode_log_head(log));
}

// What the log says, not how its blocks happen to be cut: that may differ between a
// master and a replica with another block size.
void TypeTraits<Log>::digest(DigestWriter& writer, const Log& log) {
  const Retention& keep = log.retention();
  for (uint64_t number :
       {log.first().value(), log.next().value(), log.clock().value(), keep.count, keep.age_ms, keep.bytes}) {
    writer.number(number);
  }
  Message message;
  for (Log::Cursor cursor(log, log.first()); cursor.next(message);) {
    writer.number(message.offset.value());
    writer.number(message.written.value());
    writer.bytes(message.tag);
    writer.bytes(message.entry);
  }
}

}  // namespace millrace::abi

namespace millrace::module {

namespace {

std::optional<UnixMs> look_after(abi::Context context, abi::StringRef name, UnixMs now) {
  auto key = LogKey::for_upkeep(context, name);
  if (!key || key->get() == nullptr) return std::nullopt;
  Log& log = *key->get();
  if (const uint64_t evicted = log.enforce_age(now)) {
    settle_evicted(log, evicted);
    context.replicate("TEVICT", name, log.first().value() - 1);
    context.changed(name, "tevict");
  }
  return log.next_age_due();
}

}  // namespace

void settle_evicted(Log& log, uint64_t evicted) {
  if (evicted == 0) return;
  counters.log.evicted += evicted;
  reclaim(log.take_evicted());
}

void keep_dates(const DatabaseKey& key, const Log& log) {
  if (const auto due = log.next_age_due()) agenda::add(key, *due, look_after);
}

void keep_dates_of_key(const DatabaseKey& key) { agenda::add(key, UnixMs(0), look_after); }

}  // namespace millrace::module
