#include "module/channel/channel_type.h"

#include <string>

#include "engine/blocks/messages_digest.h"
#include "engine/channel/channel_codec.h"
#include "engine/channel/channel_effects.h"
#include "module/runtime/counters.h"
#include "module/runtime/failure_point.h"
#include "module/runtime/saved_blocks.h"

namespace millrace::abi {

namespace {

Result<std::unique_ptr<Channel>> load_channel(RdbReader& reader) {
  auto head_bytes = reader.bytes();
  auto log_head_bytes = head_bytes ? reader.bytes() : std::nullopt;
  if (!log_head_bytes) return cut_short();
  auto head = decode_channel_head(head_bytes->view());
  if (!head) return std::unexpected(head.error());
  auto log_head = decode_head(log_head_bytes->view());
  if (!log_head) return std::unexpected(log_head.error());

  auto channel = std::make_unique<Channel>(*head);
  auto append = [&](BlockHeader header, Buffer bytes) { return channel->append_block(header, std::move(bytes)); };
  if (auto loaded = load_blocks(reader, log_head->blocks, append); !loaded) return std::unexpected(loaded.error());
  if (auto restored = channel->restore_log_head(*log_head); !restored) return std::unexpected(restored.error());
  module::failure_point("channel.load");
  auto subscribers = reader.strings([&](ByteView bytes) { return restore_subscribers(*channel, bytes); });
  if (!subscribers) return std::unexpected(subscribers.error());
  return channel;
}

}  // namespace

std::unique_ptr<Channel> TypeTraits<Channel>::load(RdbReader& reader, int version) {
  auto channel = version == kEncodingVersion ? load_channel(reader)
                                             : fail(ErrorCode::Corrupt, "written by a newer version of the module");
  if (!channel) {
    ++module::counters.refused_payloads;
    reader.refuse("channel", channel.error());
    return nullptr;
  }
  return std::move(*channel);
}

void TypeTraits<Channel>::save(RdbWriter& writer, const Channel& channel) {
  writer.bytes(encode_channel_head(channel.head()));
  writer.bytes(encode_head(saved_head(channel.messages())));
  module::failure_point("channel.save");
  save_blocks(writer, channel.messages());
  writer.strings(encode_subscribers(channel));
}

void TypeTraits<Channel>::rewrite(AofWriter& writer, const Channel& channel) {
  using namespace module;
  writer.emit(kApplyToChannel, kChannelCreated, encode_channel_head(channel.head()));
  failure_point("channel.rewrite");
  rewrite_blocks(writer, kApplyToChannel, kChannelBlock, channel.messages());
  writer.emit(kApplyToChannel, kChannelLogHead, encode_head(saved_head(channel.messages())));
  for (const std::string& bytes : encode_subscribers(channel)) {
    writer.emit(kApplyToChannel, kChannelSubscribers, bytes);
  }
}

void TypeTraits<Channel>::digest(DigestWriter& writer, const Channel& channel) {
  writer.bytes(encode_channel_head(channel.head()));
  for (uint64_t number :
       {channel.now().value(), channel.messages().first().value(), channel.messages().next().value()}) {
    writer.number(number);
  }
  millrace::digest(channel.messages(), writer);
  for (const Subscriber& subscriber : channel.living(channel.now())) {
    writer.bytes(subscriber.name);
    writer.number(subscriber.position.value());
    writer.number(subscriber.active.value());
  }
}

}  // namespace millrace::abi
