#include "client/log/frame_writer.h"

#include <utility>

#include "engine/base/frame_format.h"

namespace millrace::client {

void FrameWriter::add(std::string_view tag, std::string_view entry) {
  TagPosition known = recent_ != 0 && tag_at(records_.data(), recent_) == tag ? recent_ : 0;
  if (known == 0) {
    const auto found = tags_.find(tag);
    if (found != tags_.end()) known = found->second;
  }
  const size_t start = records_.size();
  records_.resize(start + record_size(known, tag, 0, entry));
  write_record(records_.data() + start, known, tag, 0, entry);
  recent_ = known;
  if (known == 0) {
    recent_ = static_cast<TagPosition>(start + 1);  // after the reference, which is one byte with 0
    tags_.emplace(tag, recent_);
  }
  ++count_;
}

std::string FrameWriter::take() {
  FrameHead head;
  head.end = head.from + count_;
  head.count = count_;
  FrameBlock block;
  block.first = head.from;
  block.count = count_;
  block.bytes = records_;
  std::string frame;
  frame.reserve(2 * kMostFrameHeadBytes + records_.size());
  append_frame_head(frame, head);
  append_frame_block(frame, block);
  records_.clear();
  tags_.clear();
  count_ = recent_ = 0;
  return frame;
}

}  // namespace millrace::client
