// CHAN.READ: messages after a position, for a reader without a subscription.
#include "module/channel/channel_shows.h"

namespace millrace::module {

namespace {

// [[[position, id, content], ...], position or null, more 0|1, missed]
class ReadWriter final : public PositionSink {
 public:
  explicit ReadWriter(abi::Reply reply) : reply_(reply) {}

  void begin(uint64_t count) override {
    reply_.array(4);
    reply_.array(count);
  }

  void message(const ChannelPosition& position, const Message& message) override {
    reply_.array(3);
    reply_.bytes(to_text(position));
    reply_.bytes(message.tag);
    reply_.bytes(message.entry);
  }

  void end(const std::optional<ChannelPosition>& position, bool more, uint64_t missed) override {
    position ? reply_.bytes(to_text(*position)) : reply_.null();
    reply_.integer(more ? 1 : 0);
    reply_.integer(static_cast<int64_t>(missed));
  }

 private:
  abi::Reply reply_;
};

}  // namespace

void ChanRead::show(abi::Reply reply, const Shown<Channel>& shown, const ChannelReadRequest& request) {
  ReadWriter writer(reply);
  const auto read = channel_operations().read(shown.object, request, abi::now(), writer);
  if (!read) reply.error(read.error());
}

}  // namespace millrace::module
