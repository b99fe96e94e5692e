#include "module/log/tread.h"

namespace millrace::module {

namespace {

void write_bounds(abi::Reply reply, const LogBounds& bounds) {
  reply.array(2);
  reply.integer(static_cast<int64_t>(bounds.first.value()));
  reply.integer(static_cast<int64_t>(bounds.last.value()));
}

// [[first, last]] [null ...] [[offset, tag, entry [, attempts]] ...]
class MessageWriter final : public MessageSink {
 public:
  MessageWriter(abi::Reply reply, bool with_info) : reply_(reply), with_info_(with_info) {}

  void begin(const LogBounds& bounds, std::optional<uint64_t> entries) override {
    is_known_ = entries.has_value();
    is_known_ ? reply_.array(*entries + info()) : reply_.array_later();
    if (with_info_) write_bounds(reply_, bounds);
  }

  void evicted(uint64_t count) override {
    for (uint64_t i = 0; i < count; ++i) reply_.null();
  }

  void message(const Message& message, uint32_t attempts) override {
    reply_.array(attempts == 0 ? 3 : 4);
    reply_.integer(static_cast<int64_t>(message.offset.value()));
    reply_.bytes(message.tag);
    reply_.bytes(message.entry);
    if (attempts != 0) reply_.integer(attempts);
  }

  void end(uint64_t entries) override {
    if (!is_known_) reply_.array_was(entries + info());
  }

 private:
  uint64_t info() const { return with_info_ ? 1 : 0; }

  abi::Reply reply_;
  bool with_info_;
  bool is_known_ = true;
};

}  // namespace

Result<void> Tread::check(abi::Context context, abi::StringRef key, const ReadRequest& request) {
  if (!request.group) return {};
  if (!may_decide && context.is_read_only()) {
    return fail(ErrorCode::ReadOnly, "You can't write against a read only replica.");
  }
  static const auto& tack = *new abi::OwnedString("TACK");
  static const auto& any_offset = *new abi::OwnedString("1");
  const abi::StringRef words[] = {tack, key, tack, any_offset};
  if (!context.may_run(words)) {
    return fail(ErrorCode::NoRights, "this user may not read with a group: it needs the right to run TACK on the key");
  }
  return {};
}

Outcome<ReadResult> Tread::execute(Place<Log>& log, ReadRequest& request, const Call& call, abi::Reply reply) {
  MessageWriter writer(reply, request.with_info);
  Outcome<ReadResult> outcome = log_operations().read(log, request, call, writer);
  const bool is_empty = outcome.answer && *outcome.answer == ReadResult::NothingCame;
  if (is_empty && !outcome.consequences.wait) answer_timeout(reply, log.get(), request);
  return outcome;
}

// Null, or with WITHINFO the information alone.
void Tread::answer_timeout(abi::Reply reply, const Log* log, const ReadRequest& request) {
  if (!request.with_info) return reply.null_array();
  reply.array(1);
  write_bounds(reply, log == nullptr ? LogBounds{} : LogBounds{log->first(), log->last()});
}

}  // namespace millrace::module
