#include "module/host/log_type.h"

#include <string>

#include "engine/base/decoder.h"
#include "engine/log/group_codec.h"
#include "engine/log/log_codec.h"
#include "module/host/counters.h"

namespace millrace::abi {

namespace {

std::unexpected<Error> cut_short() { return fail(ErrorCode::Corrupt, "the payload ends too early"); }

// A group travels as one string, the number of those with its pending messages, and
// these.
Result<void> load_group(RdbReader& reader, Log& log) {
  auto group = reader.bytes();
  auto count_bytes = group ? reader.bytes() : std::nullopt;
  if (!count_bytes) return cut_short();
  if (auto restored = restore_group(log, group->view()); !restored) return restored;
  Decoder count(count_bytes->view());
  uint64_t left = count.number();
  if (!count.finished()) return fail(ErrorCode::Corrupt, "a number of the wrong length");
  for (; left > 0; --left) {
    auto pending = reader.bytes();
    if (!pending) return cut_short();
    if (auto restored = restore_pending(log, pending->view()); !restored) return restored;
  }
  return {};
}

Result<Log> load_log(RdbReader& reader) {
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
  for (uint64_t i = 0; i < head->groups; ++i) {
    if (auto restored = load_group(reader, log); !restored) return std::unexpected(restored.error());
  }
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
  if (const auto due = log->next_date()) {
    log->promise(*due);
    module::agenda::add({reader.database(), std::string(reader.key())}, *due);
  }
  return std::make_unique<Log>(std::move(*log));
}

void TypeTraits<Log>::save(RdbWriter& writer, const Log& log) {
  writer.bytes(encode_log_head(log));
  log.each_block([&](const Block& block) {
    writer.bytes(encode_block_header(block));
    writer.bytes(block.bytes());
  });
  for (const auto& [name, group] : log.groups()) {
    const std::vector<std::string> pending = encode_pending(name, group);
    std::string count;
    append_varint(count, pending.size());
    writer.bytes(encode_group(name, group));
    writer.bytes(count);
    for (const std::string& part : pending) writer.bytes(part);
  }
}

void TypeTraits<Log>::rewrite(AofWriter& writer, const Log& log) {
  log.each_block([&](const Block& block) {
    writer.emit(module::kApply, module::kApplyBlock, encode_block_header(block), block.bytes());
  });
  writer.emit(module::kApply, module::kApplyHead, encode_log_head(log));
  for (const auto& [name, group] : log.groups()) {
    writer.emit(module::kApply, module::kApplyGroup, encode_group(name, group));
    for (const std::string& part : encode_pending(name, group)) {
      writer.emit(module::kApply, module::kApplyPending, part);
    }
  }
}

namespace {

// Message by message: how they are cut into ranges may differ.
void digest_group(DigestWriter& writer, const std::string& name, const Group& group) {
  writer.bytes(encode_group(name, group));
  group.pending().each_from(Offset(0), [&](const PendingPart& part) {
    part.messages.each([&](Offset offset) {
      for (uint64_t number : {offset.value(), part.terms.retry_at, uint64_t{part.terms.retry_ms}, part.terms.expire_at,
                              uint64_t{part.terms.attempts}}) {
        writer.number(number);
      }
      if (part.terms.consumer != kNobody) writer.bytes(group.consumers().name(part.terms.consumer));
    });
    return true;
  });
}

}  // namespace

// What the log says, not how its blocks happen to be cut: that may differ between a
// master and a replica with another block size.
void TypeTraits<Log>::digest(DigestWriter& writer, const Log& log) {
  const Retention& keep = log.retention();
  for (uint64_t number : {log.first().value(), log.next().value(), log.clock().value(), keep.count, keep.age_ms,
                          keep.bytes, uint64_t{keep.acked}}) {
    writer.number(number);
  }
  Message message;
  for (Log::Cursor cursor(log, log.first()); cursor.next(message);) {
    writer.number(message.offset.value());
    writer.number(message.written.value());
    writer.bytes(message.tag);
    writer.bytes(message.entry);
  }
  for (const auto& [name, group] : log.groups()) digest_group(writer, name, group);
}

}  // namespace millrace::abi
