// Encodes and decodes frames for tests.
#pragma once

#include <string>
#include <vector>

#include "engine/base/frame_reader.h"
#include "engine/blocks/frame_builder.h"
#include "tests/model/test_packer.h"

namespace millrace::testing {

struct FrameMessage {
  Offset offset;
  std::string tag;
  std::string entry;
  UnixMs written;
  friend bool operator==(const FrameMessage&, const FrameMessage&) = default;
};

struct ReadFrame {
  FrameHead head;
  std::vector<FrameMessage> messages;
  std::string failure;  // empty: none
  uint64_t packed_blocks = 0;
};

inline ReadFrame read_frame(ByteView bytes) {
  ReadFrame read;
  FrameReader frame(bytes);
  std::string records;
  for (FrameBlock block; frame.next_block(block);) {
    if (block.unpacked == 0) {
      frame.enter(block.bytes);
    } else {
      ++read.packed_blocks;
      records.resize(block.unpacked);
      const bool unpacks =
          test_packer().zstd().unpack(block.bytes, records.data(), static_cast<uint32_t>(block.unpacked));
      unpacks ? frame.enter(records) : frame.fail_unpacking();
    }
    for (Message message; frame.next(message);) {
      read.messages.push_back({message.offset, std::string(message.tag), std::string(message.entry), message.written});
    }
  }
  if (frame.failure() != nullptr) read.failure = frame.failure();
  read.head = frame.head();
  return read;
}

// A frame of messages (tag, entry, tag, entry, …), as a read from a log gives it; with all full blocks packed, if
// requested. REQUIRES: at least one message
inline std::string frame_of(const std::vector<ByteView>& pairs, BlockLimits limits = {}, bool packed = false) {
  MessageBlocks messages;
  for (size_t i = 0; i < pairs.size(); i += 2) messages.append(pairs[i], pairs[i + 1], limits);
  while (packed && messages.has_unpacked()) messages.pack_next(test_packer(), 1);
  return build_frame(messages, {}, Offset(1), {}).bytes;
}

}  // namespace millrace::testing
