#include "client/log/frame_reader.h"

#include <string>

#include "client/log/unpack_ahead.h"
#include "engine/base/limits.h"

namespace millrace::client {

FrameReader::FrameReader(std::string_view frame) : frame_(frame) {}
FrameReader::~FrameReader() = default;

void FrameReader::open(std::string_view frame) { frame_ = millrace::FrameReader(frame); }

bool FrameReader::next_in_other_block(Message& message) {
  for (FrameBlock block; frame_.next_block(block);) {
    if (!enter(block)) frame_.fail_unpacking();
    if (frame_.next(message)) return true;
  }
  return false;
}

// False if the block is packed and cannot be unpacked.
bool FrameReader::enter(const FrameBlock& block) {
  if (block.unpacked == 0) {
    frame_.enter(block.bytes);
    return true;
  }
  if (ahead_ != nullptr) {
    const auto records = ahead_->next();
    if (records) frame_.enter(*records);
    return records.has_value();
  }
  if (!unpacked_) unpacked_ = std::make_unique_for_overwrite<char[]>(kMostUnpacked);
  if (!unpacker_.unpack(block.bytes, unpacked_.get(), block.unpacked)) return false;
  frame_.enter({unpacked_.get(), block.unpacked});
  return true;
}

std::optional<Error> FrameReader::failure() const {
  if (frame_.failure() == nullptr) return std::nullopt;
  return Error{ErrorCode::Protocol, std::string("the server's frame is ") + frame_.failure()};
}

}  // namespace millrace::client
