#include "module/log/tread.h"

#include <chrono>

namespace millrace::module {

namespace {

void write_bounds(abi::Reply reply, const LogBounds& bounds, bool with_epoch) {
  reply.array(with_epoch ? 3 : 2);
  reply.integer(static_cast<int64_t>(bounds.first.value()));
  reply.integer(static_cast<int64_t>(bounds.last.value()));
  if (with_epoch) reply.integer(static_cast<int64_t>(bounds.epoch.value()));
}

// How long reads by tag may search without a pause. A new command has one millisecond. All commands that continue or
// were woken share one millisecond out of two: so half of the time is left for other clients, for any number of such
// commands.
class SearchBudget final : public Budget {
 public:
  explicit SearchBudget(bool was_tried) : start_(Clock::now()) {
    if (!was_tried) return;
    if (start_ - shared_start_ >= 2 * kMost) shared_start_ = start_;
    start_ = shared_start_;
  }

  bool is_spent() const override { return Clock::now() - start_ >= kMost; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr auto kMost = std::chrono::milliseconds(1);
  static inline Clock::time_point shared_start_;

  Clock::time_point start_;
};

// [[first, last [, epoch]]] [null ...] [[offset, tag, entry [, attempts] [, date]] ...]
class MessageWriter final : public MessageSink {
 public:
  MessageWriter(abi::Reply reply, const ReadRequest& request)
      : reply_(reply), with_info_(request.with_info), with_epoch_(request.with_epoch), with_time_(request.with_time) {}

  void begin(const LogBounds& bounds, std::optional<uint64_t> entries) override {
    is_known_ = entries.has_value();
    is_known_ ? reply_.array(*entries + info()) : reply_.array_later();
    if (with_info_) write_bounds(reply_, bounds, with_epoch_);
  }

  void evicted(uint64_t count) override {
    for (uint64_t i = 0; i < count; ++i) reply_.null();
  }

  void message(const Message& message, uint32_t attempts) override {
    reply_.array(3 + (attempts == 0 ? 0 : 1) + (with_time_ ? 1 : 0));
    reply_.integer(static_cast<int64_t>(message.offset.value()));
    reply_.bytes(message.tag);
    reply_.bytes(message.entry);
    if (attempts != 0) reply_.integer(attempts);
    if (with_time_) reply_.integer(static_cast<int64_t>(message.written.value()));
  }

  void frame(ByteView frame) override { reply_.bytes(frame); }

  void end(uint64_t entries) override {
    if (!is_known_) reply_.array_was(entries + info());
  }

 private:
  uint64_t info() const { return with_info_ ? 1 : 0; }

  abi::Reply reply_;
  bool with_info_;
  bool with_epoch_;
  bool with_time_;
  bool is_known_ = true;
};

}  // namespace

Outcome<ReadResult> Tread::execute(Place<Log>& log, ReadRequest& request, const Call& call, abi::Reply reply) {
  MessageWriter writer(reply, request);
  Outcome<ReadResult> outcome =
      request.tags.empty() ? log_operations().read(log, request, call, writer)
                           : log_operations().read(log, request, call, writer, SearchBudget(request.from.has_value()));
  const bool is_empty = outcome.answer && *outcome.answer == ReadResult::NothingCame;
  if (is_empty && !outcome.consequences.wait) answer_timeout(reply, log.get(), request);
  return outcome;
}

// Null, or with WITHINFO the information alone. A read that did not ask to wait has found nothing.
void Tread::answer_timeout(abi::Reply reply, const Log* log, const ReadRequest& request) {
  if (!request.block_ms) return reply.array(0);
  if (request.is_framed) return reply.null();
  if (!request.with_info) return reply.null_array();
  reply.array(1);
  write_bounds(reply, log == nullptr ? LogBounds{} : log->bounds(), request.with_epoch);
}

}  // namespace millrace::module
