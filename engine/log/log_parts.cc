#include "engine/log/log_parts.h"

#include <string>

#include "engine/blocks/blocks_codec.h"
#include "engine/log/group_codec.h"
#include "engine/log/log_codec.h"

namespace millrace {

void each_part(const Log& log, const std::function<void(const LogEffect&)>& visit) {
  using Kind = LogEffect::Kind;
  const auto tell = [&](Kind kind, ByteView bytes) {
    visit({.kind = kind, .clock = {}, .header = {}, .bytes = bytes});
  };
  log.each_block([&](const Block& block) {
    const std::string header = encode_block_header(block);
    visit({.kind = Kind::Block, .clock = {}, .header = header, .bytes = block.bytes()});
  });
  tell(Kind::Head, encode_log_head(log));
  for (const auto& [name, group] : log.groups()) {
    tell(Kind::Group, encode_group(name, group));
    for (const std::string& pending : encode_pending(name, group)) tell(Kind::Pending, pending);
  }
}

}  // namespace millrace
