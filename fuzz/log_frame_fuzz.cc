// A frame of messages from untrusted bytes: what a client gets from TREAD … FRAMED, and a server from TWRITE … FRAMED.
// Both accept the same frames, read the same messages from them, and allocate in proportion to the input.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "client/log/frame_reader.h"
#include "client/log/frame_writer.h"
#include "engine/log/log_operations.h"
#include "fuzz/allocation_meter.h"
#include "fuzz/require.h"

namespace millrace {
namespace {

// A message takes four bytes or more of input; in memory, two views of 16 bytes in a list whose capacity grows by
// doubling, and its place in the log. A packed block may become as large as its header is allowed to say.
constexpr uint64_t kPerInputByte = 128;
constexpr uint64_t kPerPackedBlock = 128 * kMostUnpacked;
constexpr uint64_t kAtAll = 1024 * 1024;

class NoOthers final : public OtherLogs {
 public:
  Result<void> may_write(const Place<Log>&, ByteView) override { return {}; }
  bool write(const Place<Log>&, ByteView, const WriteRequest&) override { return false; }
};

using Messages = std::vector<std::pair<std::string, std::string>>;

struct AsClient {
  bool is_right = false;
  Messages messages;
};

AsClient read_as_client(ByteView bytes) {
  AsClient read;
  client::FrameReader frame(bytes);
  Offset last(0);
  for (Message message; frame.next(message); last = message.offset) {
    REQUIRE(message.offset > last && message.offset >= frame.head().from && message.offset < frame.head().end);
    REQUIRE(message.written.value() <= INT64_MAX);
    read.messages.emplace_back(message.tag, message.entry);
  }
  read.is_right = !frame.failure();
  if (read.is_right) REQUIRE(read.messages.size() == frame.head().count);
  return read;
}

struct Packed {
  uint64_t blocks = 0;
  uint64_t messages = 0;
  uint64_t bytes = 0;  // unpacked
  // A client accepts it, but a server does not write so much at once.
  bool is_too_much() const { return messages > kMaxFrameUnpackedMessages || bytes > kMaxFrameUnpackedBytes; }
};

Packed packed_blocks(ByteView bytes) {
  Packed packed;
  FrameReader frame(bytes);
  for (FrameBlock block; frame.next_block(block);) {
    if (block.unpacked == 0) continue;
    ++packed.blocks;
    packed.messages += block.count;
    packed.bytes += block.unpacked;
  }
  return packed;
}

// The messages of a log that was written by one frame; none if it was refused.
Messages write_as_server(ByteView bytes) {
  static NoOthers others;
  static const LogLimits limits;
  static BlockPacker packer;
  static const HashKey tag_key{};
  static LogOperations operations(others, limits, packer, tag_key, [](HashKey& key) { key.fill(5); });
  OwnPlace<Log> place("log");
  WriteRequest request{.backlog = std::nullopt, .pairs = {}};
  request.frame = bytes;
  const auto written = operations.write(place, request, {.now = {.wall = UnixMs(1000)}}).answer;
  REQUIRE(written.has_value() == (place.get() != nullptr));
  Messages messages;
  if (!written) return messages;
  REQUIRE(written->offset == Offset(1));
  Message message{};
  for (Log::Cursor cursor(*place.get(), Offset(1)); cursor.next(message);) {
    messages.emplace_back(message.tag, message.entry);
  }
  return messages;
}

void run(ByteView bytes) {
  const Packed packed = packed_blocks(bytes);
  const uint64_t most = kAtAll + kPerInputByte * bytes.size() + kPerPackedBlock * packed.blocks;
  const uint64_t before = fuzz::allocated_bytes();
  const AsClient read = read_as_client(bytes);
  const Messages written = write_as_server(bytes);
  REQUIRE(fuzz::allocated_bytes() - before <= 2 * most);
  REQUIRE(written == (read.is_right && !packed.is_too_much() ? read.messages : Messages()));
  if (written.empty()) return;
  client::FrameWriter writer;
  for (const auto& [tag, entry] : written) writer.add(tag, entry);
  const AsClient again = read_as_client(writer.take());
  REQUIRE(again.is_right && again.messages == written);
}

}  // namespace
}  // namespace millrace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  millrace::run({reinterpret_cast<const char*>(bytes), size});
  return 0;
}
