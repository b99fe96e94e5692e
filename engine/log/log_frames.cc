// LogOperations: frames, many messages in one string (engine/base/frame_format.h).
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/frame_reader.h"
#include "engine/blocks/frame_builder.h"
#include "engine/log/log_operations.h"

namespace millrace {

namespace {

// The memory of a frame is reused for the next one, up to this size.
constexpr size_t kMostFrameRoom = size_t{1024} * 1024;

// A record takes a tag reference, a time delta and the length of its entry.
constexpr uint64_t kSmallestRecord = 3;

// The messages of a frame. Borrows its bytes, and owns the unpacked bytes of its packed blocks.
struct FrameContents {
  std::vector<ByteView> pairs;
  std::vector<std::unique_ptr<char[]>> unpacked;
};

std::unexpected<Error> bad_frame(const char* reason) {
  return fail(ErrorCode::Corrupt, std::string("FRAMED needs a frame, but there is ") + reason +
                                      " (a message with the tag FRAMED is written with ENTRIES)");
}

// Failure: Corrupt. A replica accepts every frame that the deciding server accepted.
Result<FrameContents> decode_frame(ByteView bytes, ZstdContexts& zstd, bool decides) {
  FrameContents contents;
  FrameReader frame(bytes);
  if (frame.failure() == nullptr && frame.head().count > kMaxFrameMessages) {
    return bad_frame("one with more than 1000000 messages");
  }
  uint64_t unpacked = 0, unpacked_messages = 0;
  for (FrameBlock block; frame.next_block(block);) {
    ByteView records = block.bytes;
    if (block.unpacked != 0) {
      const auto size = static_cast<uint32_t>(block.unpacked);
      unpacked += size;
      unpacked_messages += block.count;
      if (decides && unpacked > kMaxFrameUnpackedBytes) return bad_frame("more in packed blocks than 4 MiB");
      if (decides && unpacked_messages > kMaxFrameUnpackedMessages) {
        return bad_frame("more in packed blocks than 100000 messages");
      }
      char* const to = contents.unpacked.emplace_back(new char[size]).get();
      zstd.unpack(records, to, size) ? void(records = {to, size}) : frame.fail_unpacking();
    }
    frame.enter(records);
    // Reserves memory for all messages, so that adding one needs no check. The size of the frame limits the memory,
    // even if its head claims more messages.
    const size_t before = contents.pairs.size();
    contents.pairs.resize(before + 2 * std::min(block.count, records.size() / kSmallestRecord));
    ByteView* next = contents.pairs.data() + before;
    frame.each([&next](const Message& message) {
      *next++ = message.tag;
      *next++ = message.entry;
    });
    contents.pairs.resize(static_cast<size_t>(next - contents.pairs.data()));
  }
  if (frame.failure() != nullptr) return bad_frame(frame.failure());
  if (contents.pairs.empty()) return bad_frame("one without messages");
  return contents;
}

}  // namespace

Outcome<WriteAnswer> LogOperations::write_frame(Place<Log>& place, const WriteRequest& request, const Call& call) {
  const auto contents = decode_frame(*request.frame, packer_.zstd(), call.decides);
  if (!contents) return std::unexpected(contents.error());
  WriteRequest plain = request;
  plain.frame = std::nullopt;
  plain.pairs = contents->pairs;
  plain.are_records = true;
  return write(place, plain, call);
}

void LogOperations::give_frame(const Log* log, const ReadRequest& request, MessageSink& sink) {
  if (log == nullptr) return sink.frame(empty_frame({}, *request.from));
  FrameHead head;
  head.epoch = log->epoch();
  head.log_first = log->first();
  head.log_next = log->next();
  if (request.count == 0 || log->empty() || *request.from >= log->end_of_messages()) {
    return sink.frame(empty_frame(head, *request.from));
  }
  BuiltFrame built = build_frame(log->messages(), head, *request.from,
                                 {.messages = request.count, .bytes = most_bytes(request)}, std::move(frame_room_));
  counters_.read += built.count;
  sink.frame(built.bytes);
  if (built.bytes.capacity() <= kMostFrameRoom) frame_room_ = std::move(built.bytes);
}

}  // namespace millrace
