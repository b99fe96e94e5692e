#include "module/shard/shard_pull.h"

namespace millrace::module {

namespace {

// [[recipient, sequence, payload], ...]
class PayloadWriter final : public PayloadSink {
 public:
  explicit PayloadWriter(abi::Reply reply) : reply_(reply) {}

  void begin() override { reply_.array_later(); }
  void payload(const Pool::PulledPayload& pulled) override {
    reply_.array(3);
    reply_.bytes(pulled.recipient);
    reply_.integer(static_cast<int64_t>(pulled.sequence.value()));
    reply_.bytes(pulled.payload);
  }
  void end(uint64_t payloads) override { reply_.array_was(payloads); }

 private:
  abi::Reply reply_;
};

}  // namespace

Outcome<uint64_t> ShardPull::execute(Place<Pool>& pool, PullRequest& request, const Call& call, abi::Reply reply) {
  PayloadWriter writer(reply);
  return pool_operations().pull(pool, request, call, writer);
}

}  // namespace millrace::module
