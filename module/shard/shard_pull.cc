#include "module/shard/shard_pull.h"

namespace millrace::module {

namespace {

// [[recipient, sequence, payload], ...], with attempts [[recipient, sequence, payload, attempts], ...]
class PayloadWriter final : public PayloadSink {
 public:
  PayloadWriter(abi::Reply reply, bool with_attempts) : reply_(reply), with_attempts_(with_attempts) {}

  void begin() override { reply_.array_later(); }
  void payload(const Pool::PulledPayload& pulled) override {
    reply_.array(with_attempts_ ? 4 : 3);
    reply_.bytes(pulled.recipient);
    reply_.integer(static_cast<int64_t>(pulled.sequence.value()));
    reply_.bytes(pulled.payload);
    if (with_attempts_) reply_.integer(static_cast<int64_t>(pulled.attempts));
  }
  void end(uint64_t payloads) override { reply_.array_was(payloads); }

 private:
  abi::Reply reply_;
  bool with_attempts_;
};

}  // namespace

Outcome<uint64_t> ShardPull::execute(Place<Pool>& pool, PullRequest& request, const Call& call, abi::Reply reply) {
  PayloadWriter writer(reply, request.with_attempts);
  return pool_operations().pull(pool, request, call, writer);
}

}  // namespace millrace::module
