#include "module/channel/chan_fetch.h"

namespace millrace::module {

namespace {

// [[[id, content], ...], receipt or null, more 0|1]
class FetchWriter final : public FetchSink {
 public:
  explicit FetchWriter(abi::Reply reply) : reply_(reply) {}

  void begin(uint64_t count) override {
    reply_.array(3);
    reply_.array(count);
  }

  void message(const Message& message) override {
    reply_.array(2);
    reply_.bytes(message.tag);
    reply_.bytes(message.entry);
  }

  void end(std::optional<ByteView> receipt, bool more) override {
    receipt ? reply_.bytes(*receipt) : reply_.null();
    reply_.integer(more ? 1 : 0);
  }

 private:
  abi::Reply reply_;
};

}  // namespace

Outcome<Done> ChanFetch::execute(Place<Channel>& channel, FetchRequest& request, const Call& call, abi::Reply reply) {
  FetchWriter writer(reply);
  return channel_operations().fetch(channel, request, call, writer);
}

// The answer of an empty fetch.
void ChanFetch::answer_timeout(abi::Reply reply, const Channel*, const FetchRequest&) {
  FetchWriter writer(reply);
  writer.begin(0);
  writer.end(std::nullopt, false);
}

}  // namespace millrace::module
