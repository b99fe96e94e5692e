// A fetch as its client sees it, written now or recorded for one that waits:
// [[[id, content], ...], receipt or null, more 0|1].
#pragma once

#include "engine/channel/channel.h"
#include "engine/channel/receipt.h"
#include "module/host/counters.h"

namespace millrace::module {

// `Writer` is abi::Reply or abi::RecordedReply.
template <class Writer>
void write_fetch(Writer& writer, const Channel& channel, ByteView channel_name, ByteView subscriber,
                 const Fetch& fetch) {
  writer.array(3);
  writer.array(fetch.count);
  MessageBlocks::Cursor cursor(channel.messages(), fetch.from);
  Message message;
  for (uint64_t i = 0; i < fetch.count && cursor.next(message); ++i) {
    writer.array(2);
    writer.bytes(message.tag);
    writer.bytes(message.entry);
  }
  if (fetch.count == 0) {
    writer.null();
  } else {
    writer.bytes(issue_receipt(channel.head().secret, channel_name, subscriber, channel.receipt_for(fetch.last())));
  }
  writer.integer(fetch.more ? 1 : 0);
  counters.channel.fetched += fetch.count;
}

// Nothing came in time.
template <class Writer>
void write_empty_fetch(Writer& writer) {
  writer.array(3);
  writer.array(0);
  writer.null();
  writer.integer(0);
}

}  // namespace millrace::module
