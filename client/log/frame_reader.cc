#include "client/log/frame_reader.h"

#include <zstd.h>

#include <string>

#include "engine/base/limits.h"

namespace millrace::client {

void FrameReader::Free::operator()(ZSTD_DCtx_s* context) const { ZSTD_freeDCtx(context); }

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

// False if it is packed and does not unpack.
bool FrameReader::enter(const FrameBlock& block) {
  if (block.unpacked == 0) {
    frame_.enter(block.bytes);
    return true;
  }
  if (!unpacking_) {
    unpacking_.reset(ZSTD_createDCtx());
    unpacked_ = std::make_unique_for_overwrite<char[]>(kMostUnpacked);
  }
  const size_t size =
      ZSTD_decompressDCtx(unpacking_.get(), unpacked_.get(), block.unpacked, block.bytes.data(), block.bytes.size());
  if (size != block.unpacked) return false;
  frame_.enter({unpacked_.get(), size});
  return true;
}

std::optional<Error> FrameReader::failure() const {
  if (frame_.failure() == nullptr) return std::nullopt;
  return Error{ErrorCode::Protocol, std::string("the server's frame is ") + frame_.failure()};
}

}  // namespace millrace::client
