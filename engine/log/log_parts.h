// A whole log as parts (engine/base/parts.h); docs/formats/log.md draws their bytes.
#pragma once

#include <string>

#include "engine/base/parts.h"
#include "engine/blocks/block_packer.h"
#include "engine/log/log.h"

namespace millrace {

// Do not change: persisted.
enum class LogPart : uint8_t { Block, Head, Group, Pending, Epoch, More, Ids, Scheduled, Deleted, Deleting };
inline constexpr PartKind kLogParts[] = {{"BLOCK", true}, {"HEAD"}, {"GROUP"},     {"PENDING"}, {"EPOCH"},
                                         {"MORE"},        {"IDS"},  {"SCHEDULED"}, {"DELETED"}, {"DELETING"}};

// The order is: epoch, blocks, head, ids, schedule and deletions if the log has them, then each group and its pending
// messages. After each part the restored log is valid.
void each_part(const Log& log, const PartVisit& visit);

// An epoch as a part. It is also the effect that tells replicas of a new log.
std::string encode_epoch(LogEpoch epoch);

// Adds a part from untrusted bytes. Failure: Corrupt, and the log is unchanged.
Result<void> restore_part(Log& log, LogPart part, ByteView bytes, Buffer block, BlockPacker& packer);

class LogRestorer {
 public:
  explicit LogRestorer(BlockPacker& packer) : packer_(packer) {}

  Result<void> add(uint8_t kind, ByteView bytes, Buffer block);
  // Versions 1 and 2: the head comes first, and says how many blocks and groups there are.
  Result<void> add_older(const NextString& next);
  Result<Log> finish();

 private:
  BlockPacker& packer_;
  Log log_;
  bool has_head_ = false;
};

}  // namespace millrace
