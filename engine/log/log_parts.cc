#include "engine/log/log_parts.h"

#include <string>
#include <utility>

#include "engine/base/decoder.h"
#include "engine/blocks/blocks_codec.h"
#include "engine/log/group_codec.h"
#include "engine/log/log_codec.h"
#include "engine/log/log_extras_codec.h"

namespace millrace {

void each_part(const Log& log, const PartVisit& visit) {
  const auto tell = [&](LogPart kind, ByteView bytes, ByteView block = {}) { visit({number_of(kind), bytes, block}); };
  if (log.epoch() != LogEpoch()) tell(LogPart::Epoch, encode_epoch(log.epoch()));
  log.each_block([&](const Block& block) { tell(LogPart::Block, encode_block_header(block), block.bytes()); });
  tell(LogPart::Head, encode_log_head(log));
  if (const std::string more = encode_more(log); !more.empty()) tell(LogPart::More, more);
  each_ids_piece(log, [&](ByteView piece) { tell(LogPart::Ids, piece); });
  each_schedule_piece(log, [&](ByteView piece) { tell(LogPart::Scheduled, piece); });
  each_deleted_piece(log, [&](ByteView piece) { tell(LogPart::Deleted, piece); });
  if (log.extras() != nullptr) {
    for (const TagDeletion& deletion : log.extras()->deletions) tell(LogPart::Deleting, encode_deletion(deletion));
  }
  for (const auto& [name, group] : log.groups()) {
    tell(LogPart::Group, encode_group(name, group));
    for (const std::string& pending : encode_pending(name, group)) tell(LogPart::Pending, pending);
  }
}

std::string encode_epoch(LogEpoch epoch) {
  std::string bytes;
  append_varint(bytes, epoch.value());
  return bytes;
}

namespace {

Result<void> restore_epoch(Log& log, ByteView bytes) {
  Decoder in(bytes);
  const LogEpoch epoch(in.number());
  if (!in.finished() || epoch == LogEpoch() || epoch > kMaxEpoch) return corrupt("an invalid epoch");
  if (log.epoch() != LogEpoch() && log.epoch() != epoch) return corrupt("a second epoch of one log");
  log.set_epoch(epoch);
  return {};
}

}  // namespace

Result<void> restore_part(Log& log, LogPart part, ByteView bytes, Buffer block, BlockPacker& packer) {
  switch (part) {
    case LogPart::Block: {
      const auto header = decode_block_header(bytes);
      if (!header) return std::unexpected(header.error());
      return log.append_block(*header, std::move(block), packer, Log::Gaps::Allowed);
    }
    case LogPart::Head: {
      const auto head = decode_log_head(bytes);
      if (!head) return std::unexpected(head.error());
      return log.restore_head(*head);
    }
    case LogPart::Group:
      return restore_group(log, bytes);
    case LogPart::Pending:
      return restore_pending(log, bytes);
    case LogPart::Epoch:
      return restore_epoch(log, bytes);
    case LogPart::More:
      return restore_more(log, bytes);
    case LogPart::Ids:
      return restore_ids(log, bytes);
    case LogPart::Scheduled:
      return restore_scheduled(log, bytes);
    case LogPart::Deleted:
      return restore_deleted(log, bytes);
    case LogPart::Deleting:
      return restore_deletion(log, bytes);
  }
  return corrupt("an unknown part of a log");
}

Result<void> LogRestorer::add(uint8_t kind, ByteView bytes, Buffer block) {
  const auto part = static_cast<LogPart>(kind);
  has_head_ |= part == LogPart::Head;
  return restore_part(log_, part, bytes, std::move(block), packer_);
}

Result<void> LogRestorer::add_older(const NextString& next) {
  const auto head_bytes = next();
  if (!head_bytes) return std::unexpected(head_bytes.error());
  const auto head = decode_log_head(head_bytes->view());
  if (!head) return std::unexpected(head.error());
  const auto add_some = [&](LogPart part, uint64_t count) { return add_next(*this, kLogParts, part, count, next); };
  if (auto added = add_some(LogPart::Block, head->blocks); !added) return added;
  if (auto added = add(number_of(LogPart::Head), head_bytes->view(), {}); !added) return added;
  for (uint64_t i = 0; i < head->groups; ++i) {
    if (auto added = add_some(LogPart::Group, 1); !added) return added;
    auto added = add_counted(*this, kLogParts, LogPart::Pending, next);
    if (!added) return added;
  }
  return {};
}

Result<Log> LogRestorer::finish() {
  if (!has_head_) return corrupt("a log without a head");
  return std::move(log_);
}

}  // namespace millrace
