// What a reader sees of a block, message by message.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "engine/blocks/block.h"

namespace millrace::testing {

struct Seen {
  std::string tag, entry;
  uint64_t offset, time;
  friend bool operator==(const Seen&, const Seen&) = default;
};

// The whole block, from its first record to the end of its bytes.
inline std::vector<Seen> walk(const Block& block) {
  std::vector<Seen> seen;
  if (block.empty()) return seen;
  const Records records(block);
  BlockPosition at = block.begin();
  for (uint32_t i = 0; i < block.count(); ++i) {
    Record record{};
    records.read(at, record);
    EXPECT_EQ(at.index, i);
    seen.push_back({std::string(record.tag), std::string(record.entry), at.offset.value(), at.time.value()});
    records.advance(at);
  }
  EXPECT_EQ(at.offset, block.end());
  EXPECT_EQ(at.time, block.last_time());
  EXPECT_EQ(at.byte, block.size());
  return seen;
}

}  // namespace millrace::testing
