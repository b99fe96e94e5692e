#include <algorithm>
#include <iterator>
#include <string>

#include "module/channel/channel_shows.h"

namespace millrace::module {

namespace {

// Writes the lists of CHAN.INFO ... FULL: only what lives at `now`.
class Lists {
 public:
  Lists(abi::Reply reply, const Channel& channel, UnixMs now, uint64_t count)
      : reply_(reply), channel_(channel), now_(now), count_(count) {}

  void subscribers() {
    const size_t expired = channel_.subscribers().count_inactive(channel_.oldest_alive(now_));
    uint64_t left = std::min<uint64_t>(count_, channel_.subscribers().size() - expired);
    reply_.array(left);
    for (auto at = std::next(channel_.subscribers().begin(), static_cast<ptrdiff_t>(expired)); left-- > 0; ++at) {
      reply_.map(3);
      field("name", ByteView(at->name));
      field("clock", channel_.clock_of(at->position).value());
      field("ttl", left_of(at->active));
    }
  }

  void messages() {
    each_message([&](const Message& message) {
      reply_.map(4);
      field("clock", channel_.clock_of(message.offset).value());
      field("id", message.tag);
      field("content", message.entry);
      field("ttl", left_of(message.written));
    });
  }

  void ids() {
    each_message([&](const Message& message) {
      reply_.map(3);
      field("id", message.tag);
      field("clock", channel_.clock_of(message.offset).value());
      field("ttl", left_of(message.written));
    });
  }

 private:
  template <class Write>
  void each_message(Write write) {
    const Offset first = channel_.first_alive(now_);
    uint64_t left = std::min(count_, channel_.messages().next() - first);
    reply_.array(left);
    MessageBlocks::Cursor cursor(channel_.messages(), first);
    for (Message message; left > 0 && cursor.next(message); --left) write(message);
  }

  int64_t left_of(UnixMs date) const { return static_cast<int64_t>(channel_.expiry_of(date) - now_); }
  void field(const char* name, ByteView value) {
    reply_.bytes(name);
    reply_.bytes(value);
  }
  void field(const char* name, int64_t value) {
    reply_.bytes(name);
    reply_.integer(value);
  }

  abi::Reply reply_;
  const Channel& channel_;
  UnixMs now_;
  uint64_t count_;
};

}  // namespace

void ChanInfo::show(abi::Reply reply, const Shown<Channel>& shown, const ChannelInfoRequest& request) {
  const auto found = ChannelOperations::find_channel(shown.object, shown.name.view());
  if (!found) return reply.error(found.error());
  const Channel& channel = **found;
  const UnixMs now = channel.present(abi::now());
  const uint64_t messages = channel.messages().next() - channel.first_alive(now);
  const uint64_t subscribers =
      channel.subscribers().size() - channel.subscribers().count_inactive(channel.oldest_alive(now));
  const auto expires_at = shown.key.expires_at();
  const int64_t ttl = !expires_at ? -1 : static_cast<int64_t>(std::max(*expires_at, now) - now);

  Lists lists(reply, channel, now, request.count);
  const struct {
    const char* name;
    int64_t value;
  } numbers[] = {
      {"clock", channel.clock().value()},
      {"expire", static_cast<int64_t>(channel.head().expire_ms)},
      {"ttl", ttl},
      {"waiting",
       static_cast<int64_t>(WaitingClients<Channel>::count({shown.database, std::string(shown.name.view())}))},
      {"memory", static_cast<int64_t>(channel.memory())},
  };
  reply.map(std::size(numbers) + 3);
  for (const auto& [field, value] : numbers) {
    reply.bytes(field);
    reply.integer(value);
  }
  reply.bytes("subscribers");
  request.full || request.subscribers ? lists.subscribers() : reply.integer(static_cast<int64_t>(subscribers));
  reply.bytes("messages");
  request.full ? lists.messages() : reply.integer(static_cast<int64_t>(messages));
  reply.bytes("ids");
  request.full ? lists.ids() : reply.integer(static_cast<int64_t>(messages));
}

}  // namespace millrace::module
