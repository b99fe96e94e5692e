// Reads the records of an untrusted block (record_format.h). Every length is checked against the remaining bytes, and a
// tag reference must point to a tag that an earlier record of the block contains.
//
//   RecordReader records;
//   records.open(block, has_gaps);
//   while (!records.at_end()) {
//     if (const char* wrong = records.next(record, gap)) return wrong;
//     …
//   }
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/record_format.h"
#include "engine/base/varint.h"

namespace millrace {

class RecordReader {
 public:
  // Borrows the bytes as long as it reads them. REQUIRES: block.size() <= UINT32_MAX
  void open(ByteView block, bool has_gaps) {
    begin_ = at_ = block.data();
    end_ = begin_ + block.size();
    has_gaps_ = has_gaps;
    recent_ = 0;
    tag_positions_.clear();
  }

  bool at_end() const { return at_ == end_; }
  // Where the next record begins.
  uint32_t position() const { return static_cast<uint32_t>(at_ - begin_); }
  // The positions of all tags stored in the records read so far, ascending.
  const std::vector<TagPosition>& tag_positions() const { return tag_positions_; }

  // Reads the next record, and how many offsets without a message are before it. Returns what is wrong with it, or
  // nullptr. After a failure the reader must not be used any more. The views are valid as long as the block's bytes.
  //
  // Inlined, with the position in a local variable: reading frames spends most of its time here.
  [[gnu::always_inline]] const char* next(Record& record, uint64_t& gap) {
    const char* at = at_;
    const char* const end = end_;
    gap = 0;
    uint64_t reference, size;
    if ((has_gaps_ && !number(at, end, gap)) || !number(at, end, reference)) return kEndsInMessage;
    if (reference != recent_ || reference == 0) [[unlikely]] {
      at_ = at;
      if (const char* const wrong = change_tag(reference)) return wrong;
      at = at_;
    }
    record.tag = recent_tag_;
    if (!number(at, end, record.time_delta) || !number(at, end, size) || size > static_cast<uint64_t>(end - at)) {
      return kEndsInMessage;
    }
    record.entry = {at, size};
    at_ = at + size;
    return nullptr;
  }

  // Reads up to `most` records that are like nearly all: with the tag of the record before, a time delta below 128 and
  // an entry shorter than 16 KiB, in a block without gaps. Calls take(tag, entry, time delta) for each. Stops before
  // the first that is different; next() reads that one. Returns how many were read. A third of the work of next().
  template <class Take>
  [[gnu::always_inline]] uint64_t next_alike(uint64_t most, Take take) {
    if (has_gaps_ || recent_ == 0 || recent_ >= 0x80) return 0;
    const char* at = at_;
    const char* const end = end_;
    const auto reference = static_cast<uint8_t>(recent_);
    const ByteView tag = recent_tag_;
    uint64_t left = most;
    // Reference, time delta, and two bytes for the length, the second of which may be the entry's first.
    for (; left != 0 && end - at >= 4; --left) {
      const auto delta = static_cast<uint8_t>(at[1]);
      if (static_cast<uint8_t>(at[0]) != reference || delta >= 0x80) break;
      uint64_t size = static_cast<uint8_t>(at[2]);
      const char* entry = at + 3;
      if (size >= 0x80) {
        const auto high = static_cast<uint8_t>(*entry++);
        if (high >= 0x80) break;
        size = (size & 0x7f) | uint64_t{high} << 7;
      }
      if (size > static_cast<uint64_t>(end - entry)) break;
      take(tag, ByteView(entry, size), delta);
      at = entry + size;
    }
    at_ = at;
    return most - left;
  }

 private:
  static constexpr const char* kEndsInMessage = "a block ends inside a message";

  // The current record contains its tag, at at_, or refers to another tag than the previous record.
  [[gnu::noinline]] const char* change_tag(uint64_t reference) {
    if (reference == 0) {
      recent_ = position();
      uint64_t size;
      if (!number(at_, end_, size) || size > static_cast<uint64_t>(end_ - at_)) return "a block ends inside a tag";
      recent_tag_ = {at_, size};
      at_ += size;
      tag_positions_.push_back(static_cast<TagPosition>(recent_));
    } else {
      if (!std::ranges::binary_search(tag_positions_, reference)) return "a message refers to a tag that is not there";
      recent_ = reference;
      recent_tag_ = tag_at(begin_, static_cast<TagPosition>(reference));
    }
    return nullptr;
  }

  [[gnu::always_inline]] static bool number(const char*& at, const char* end, uint64_t& value) {
    if (at != end && static_cast<uint8_t>(*at) < 0x80) [[likely]] {
      value = static_cast<uint8_t>(*at++);
      return true;
    }
    const char* const next = get_varint(at, end, value);
    if (next == nullptr) return false;
    at = next;
    return true;
  }

  const char* begin_ = nullptr;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  bool has_gaps_ = false;
  uint64_t recent_ = 0;  // where the tag of the last record is stored; 0: there was none
  ByteView recent_tag_;
  std::vector<TagPosition> tag_positions_;
};

}  // namespace millrace
