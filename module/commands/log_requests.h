// The log's commands as plain values: what a client asked for, checked as far as that
// goes without looking at the log. One parser for each command; none knows the host.
//
// Parsers get the words behind the key. The views in a request are those words'.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/error.h"
#include "engine/base/strong.h"
#include "engine/log/log.h"
#include "engine/log/retention.h"

namespace millrace::module {

// Most messages one TREAD may ask for: a reply is built in memory.
inline constexpr uint64_t kMaxReadCount = 1'000'000;
// Largest tag or entry, the host's own default limit for a string.
inline constexpr uint64_t kMaxPart = 512 * 1024 * 1024;
// Largest block that TAPPLY brings: positions inside a block have 32 bits.
inline constexpr uint64_t kMaxBlock = UINT32_MAX;
// Largest time span: what fits a double, some 285,000 years.
inline constexpr uint64_t kMaxMs = (uint64_t{1} << 53) - 1;

using Words = std::span<const ByteView>;

// TWRITE key tag entry
// TWRITE key [BACKLOG count] ENTRIES tag entry [tag entry ...]
struct WriteRequest {
  std::optional<uint64_t> backlog;
  Words pairs;  // tag, entry, tag, entry, …: an even number, at least two
};
Result<WriteRequest> parse_twrite(Words words);

// Where to start: an offset, so many before the next one, or the next one itself.
class StartOffset {
 public:
  static StartOffset at(Offset offset) { return StartOffset(offset.value(), false); }
  static StartOffset before_next(uint64_t count) { return StartOffset(count, true); }

  // In this log, which may be missing. Before the log's very first message it is 1.
  Offset in(const Log* log) const;

 private:
  StartOffset(uint64_t value, bool from_end) : value_(value), from_end_(from_end) {}
  uint64_t value_;
  bool from_end_;
};

// TREAD key offset count [BLOCK ms] [WITHINFO] [SKIP] [TAGS n tag ...]
struct ReadRequest {
  StartOffset start = StartOffset::before_next(0);
  uint64_t count = 0;
  std::optional<uint64_t> block_ms;
  bool with_info = false;
  bool skip = false;
  std::vector<ByteView> tags;  // none: all
};
Result<ReadRequest> parse_tread(Words words);

// TEVICT key offset; a negative one says how many to keep.
struct EvictRequest {
  Offset up_to;  // inclusive
  std::optional<uint64_t> keep;
};
Result<EvictRequest> parse_tevict(Words words);

// TRETAIN key [COUNT n] [AGE ms] [BYTES n]
struct RetainRequest {
  std::optional<uint64_t> count;
  std::optional<uint64_t> age_ms;
  std::optional<uint64_t> bytes;

  bool only_shows() const { return !count && !age_ms && !bytes; }
  // What `old` becomes.
  Retention applied_to(Retention old) const;
};
Result<RetainRequest> parse_tretain(Words words);

// TSEEK key unix-ms
Result<UnixMs> parse_tseek(Words words);

// TAPPLY key CLOCK ms | BLOCK header bytes | HEAD head
struct ApplyRequest {
  enum class What { Clock, Block, Head } what;
  UnixMs clock;
  ByteView header;  // of a block, or of the log
  ByteView bytes;
};
Result<ApplyRequest> parse_tapply(Words words);

}  // namespace millrace::module
