#include "engine/channel/channel_digest.h"

#include "engine/blocks/messages_digest.h"
#include "engine/channel/channel_codec.h"

namespace millrace {

void digest(const Channel& channel, DigestSink& sink) {
  const MessageBlocks& messages = channel.messages();
  sink.bytes(encode_channel_head(channel.head()));
  for (uint64_t number : {channel.now().value(), messages.first().value(), messages.next().value()}) {
    sink.number(number);
  }
  digest(messages, sink);
  for (const Subscriber& subscriber : channel.living(channel.now())) {
    sink.bytes(subscriber.name);
    sink.number(subscriber.position.value());
    sink.number(subscriber.active.value());
  }
}

}  // namespace millrace
