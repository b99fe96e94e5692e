// A digest of the messages that does not depend on how they are divided into blocks: that may differ between a master
// and a replica with another block size.
#pragma once

#include "engine/base/digest_sink.h"
#include "engine/blocks/message_blocks.h"

namespace millrace {

inline void digest(const MessageBlocks& messages, DigestSink& sink) {
  Message message;
  for (MessageBlocks::Cursor cursor(messages, messages.first()); cursor.next(message);) {
    sink.number(message.offset.value());
    sink.number(message.written.value());
    sink.bytes(message.tag);
    sink.bytes(message.entry);
  }
}

}  // namespace millrace
