// LogOperations: reading without a group, from an offset on or backwards, all messages or those with some tags.
#include <algorithm>
#include <string>

#include "engine/base/quoted.h"
#include "engine/log/log_operations.h"
#include "engine/log/tag_set.h"

namespace millrace {

namespace {

// The budget is checked after this many messages and blocks.
constexpr uint64_t kStepsBetweenQuestions = 64;

LogBounds bounds_of(const Log* log) { return log == nullptr ? LogBounds{} : log->bounds(); }

// Gives messages until the limit on their number or bytes is reached.
class LimitedSink {
 public:
  LimitedSink(MessageSink& sink, uint64_t count, uint64_t bytes) : sink_(sink), count_(count), bytes_(bytes) {}

  bool is_full() const { return given_ == count_; }
  uint64_t given() const { return given_; }
  // False if this message does not fit any more. REQUIRES: !is_full()
  bool give(const Message& message) {
    const uint64_t size = message.tag.size() + message.entry.size();
    if (given_ != 0 && size > bytes_) return false;
    bytes_ -= std::min(size, bytes_);
    ++given_;
    sink_.message(message, 0);
    return true;
  }

 private:
  MessageSink& sink_;
  const uint64_t count_;
  uint64_t bytes_;  // how many are left
  uint64_t given_ = 0;
};

// Walks messages with one of the given tags, forwards or backwards, until the budget is spent.
template <class Cursor>
class TaggedCursor {
 public:
  enum class Step { Found, End, Spent };

  TaggedCursor(const Log& log, Offset from, const TagSet& tags, const Budget& budget)
      : cursor_(log.messages(), from), tags_(tags), budget_(budget), end_(log.next()) {}

  Step next(Message& message) {
    while (!is_spent()) {
      if (cursor_.skip_block_without(tags_.probes())) continue;
      if (!cursor_.next(message)) return Step::End;
      if (tags_.contains(message.tag)) return Step::Found;
    }
    return at().value() == 0 || at() >= end_ ? Step::End : Step::Spent;
  }
  // Where the walk is: everything before it has been looked at.
  Offset at() const { return cursor_.at(); }

 private:
  bool is_spent() { return ++steps_ % kStepsBetweenQuestions == 0 && budget_.is_spent(); }

  Cursor cursor_;
  const TagSet& tags_;
  const Budget& budget_;
  const Offset end_;
  uint64_t steps_ = 0;
};

struct Search {
  uint64_t given = 0;
  std::optional<Offset> stopped_at;  // where to continue, if the limit on bytes or the budget ended it
};

// Gives the messages found to the sink, if there are any.
template <class Cursor>
Search search(const Log& log, const LogBounds& bounds, const ReadRequest& request, const TagSet& tags,
              const Budget& budget, uint64_t bytes, MessageSink& sink) {
  using Walk = TaggedCursor<Cursor>;
  Walk walk(log, *request.from, tags, budget);
  LimitedSink limited(sink, request.count, bytes);
  Message message;
  Search done;
  auto step = walk.next(message);
  if (step == Walk::Step::Found) sink.begin(bounds, std::nullopt);
  while (step == Walk::Step::Found && !limited.is_full()) {
    if (!limited.give(message)) {
      done.stopped_at = message.offset;
      break;
    }
    if (!limited.is_full()) step = walk.next(message);
  }
  if (step == Walk::Step::Spent) done.stopped_at = walk.at();
  done.given = limited.given();
  if (done.given != 0) sink.end(done.given);
  return done;
}

class NoAnswer final : public MessageSink {
 public:
  void begin(const LogBounds&, std::optional<uint64_t>) override {}
  void evicted(uint64_t) override {}
  void message(const Message&, uint32_t) override {}
  void end(uint64_t) override {}
};

// The information of WITHINFO for a read that stopped early: the range that was looked at.
LogBounds looked_at(LogBounds bounds, const Search& done, bool backwards) {
  if (!done.stopped_at) return bounds;
  (backwards ? bounds.first : bounds.last) = backwards ? *done.stopped_at + 1 : Offset(done.stopped_at->value() - 1);
  return bounds;
}

// REQUIRES: request.from; it has no tags
bool has_something_to_read(const Log* log, const ReadRequest& request) {
  if (log == nullptr) return false;
  if (!request.skip) return *request.from < log->next();
  return !log->empty() && std::max(*request.from, log->first()) < log->end_of_messages();
}

}  // namespace

void LogOperations::resume(ReadRequest& request, uint64_t mark) {
  if (!request.tags.empty()) request.from = Offset(mark);
}

Outcome<ReadResult> LogOperations::read_alone(Place<Log>& place, ReadRequest& request, const Call& call,
                                              MessageSink& sink, const Budget& budget) {
  const Log* log = place.get();
  if (request.epoch && (log == nullptr || log->epoch() != *request.epoch)) {
    return fail(ErrorCode::BadPosition, "the position is of another life of the log " + quoted(place.name()) +
                                            ", which was deleted or replaced: begin again");
  }
  if (!request.from) request.from = request.start.in(log);
  if (!request.tags.empty() && request.count != 0) return read_by_tag(log, request, call, sink, budget);
  if (!request.block_ms || has_something_to_read(log, request)) {
    request.is_framed ? give_frame(log, request, sink) : give_messages(log, request, sink);
    return ReadResult::Given;
  }
  Outcome<ReadResult> nothing(ReadResult::NothingCame);
  if (call.may_wait) nothing.consequences.wait = Wait{.line = std::nullopt, .mark = request.from->value()};
  return nothing;
}

Outcome<ReadResult> LogOperations::read_by_tag(const Log* log, ReadRequest& request, const Call& call,
                                               MessageSink& sink, const Budget& budget) {
  Search done;
  LogBounds bounds = bounds_of(log);
  if (log != nullptr) {
    const TagSet tags(tag_key_, request.tags);
    const auto run = request.backwards ? search<MessageBlocks::ReverseCursor> : search<MessageBlocks::Cursor>;
    const uint64_t bytes = most_bytes(request);
    if (request.with_info) {
      // The range that was looked at is reported before the messages. So a first walk finds the messages, and a second
      // one gives them.
      NoAnswer nowhere;
      done = run(*log, bounds, request, tags, budget, bytes, nowhere);
      bounds = looked_at(bounds, done, request.backwards);
      ReadRequest found = request;
      found.count = done.given;
      if (done.given != 0) run(*log, bounds, found, tags, NoLimit::instance(), UINT64_MAX, sink);
    } else {
      done = run(*log, bounds, request, tags, budget, bytes, sink);
    }
    counters_.read += done.given;
    if (done.given != 0) return ReadResult::Given;
  }
  return found_nothing(log, request, call, bounds, done.stopped_at, sink);
}

Outcome<ReadResult> LogOperations::found_nothing(const Log* log, ReadRequest& request, const Call& call,
                                                 const LogBounds& bounds, std::optional<Offset> stopped_at,
                                                 MessageSink& sink) {
  Outcome<ReadResult> nothing(ReadResult::NothingCame);
  std::optional<Wait>& wait = nothing.consequences.wait;
  const bool may_go_on = call.may_wait && (request.block_ms || !request.with_info);
  if (stopped_at && may_go_on) {
    request.from = *stopped_at;
    wait = Wait{.line = std::nullopt, .mark = stopped_at->value(), .tags = {}, .goes_on = true};
  } else if (stopped_at && !request.with_info) {
    return fail(ErrorCode::Range, "no message with these TAGS before offset " + std::to_string(stopped_at->value()) +
                                      ", and there are more messages than one call looks at: go on from there");
  } else if (stopped_at || !request.block_ms) {
    sink.begin(bounds, 0);
    sink.end(0);
    nothing.answer = ReadResult::Given;
  } else if (call.may_wait) {
    // The request waits only for messages that it has not looked at yet.
    if (log != nullptr) request.from = std::max(*request.from, log->next());
    wait = Wait{.line = std::nullopt, .mark = request.from->value(), .tags = request.tags};
  }
  return nothing;
}

void LogOperations::give_messages(const Log* log, const ReadRequest& request, MessageSink& sink) {
  Offset from = *request.from;
  if (log == nullptr || (from >= log->next() && !request.backwards) || request.count == 0) {
    sink.begin(bounds_of(log), 0);
    return sink.end(0);
  }
  if (request.backwards) return give_backwards(*log, request, sink);
  if (request.skip) from = std::max(from, log->first());
  const uint64_t evicted = from < log->evicted_end() ? std::min(request.count, log->evicted_end() - from) : 0;
  const uint64_t wanted = request.count - evicted;
  from = std::max(from + evicted, log->first());
  const uint64_t bytes = most_bytes(request);
  // In a log with gaps, or if the messages may be too large, the number is known only after a walk.
  std::optional<uint64_t> known;
  const uint64_t most = std::min(wanted, log->next() - from);
  const bool tells_deleted = log->extras() != nullptr && !log->extras()->deleted.empty() && !request.skip;
  if (log->missing() == 0 && !tells_deleted &&
      (log->payload() <= bytes || log->messages().payload_at_most(from, from + most, bytes) <= bytes)) {
    known = evicted + most;
  }
  sink.begin(bounds_of(log), known);
  if (evicted != 0) sink.evicted(evicted);
  if (tells_deleted) {
    from = std::max(*request.from + evicted, log->evicted_end());
    return sink.end(evicted + give_with_deleted(*log, from, wanted, bytes, sink));
  }
  LimitedSink limited(sink, wanted, bytes);
  Log::Cursor cursor(*log, from);
  Message message;
  while (!limited.is_full() && cursor.next(message) && limited.give(message)) {
  }
  counters_.read += limited.given();
  sink.end(evicted + limited.given());
}

uint64_t LogOperations::give_with_deleted(const Log& log, Offset from, uint64_t wanted, uint64_t bytes,
                                          MessageSink& sink) {
  LimitedSink limited(sink, wanted, bytes);
  Log::Cursor cursor(log, from);
  Message message;
  uint64_t nulls = 0;
  for (bool is_there = true; is_there && nulls + limited.given() < wanted;) {
    is_there = cursor.next(message);
    const Offset end = is_there ? message.offset : log.next();
    for (auto deleted = log.extras()->deleted.next(from, end); deleted && nulls + limited.given() < wanted;
         deleted = log.extras()->deleted.next(*deleted + 1, end)) {
      sink.evicted(1);
      ++nulls;
    }
    if (!is_there || nulls + limited.given() == wanted || !limited.give(message)) break;
    from = message.offset + 1;
  }
  counters_.read += limited.given();
  return nulls + limited.given();
}

void LogOperations::give_backwards(const Log& log, const ReadRequest& request, MessageSink& sink) {
  sink.begin(bounds_of(&log), std::nullopt);
  LimitedSink limited(sink, request.count, most_bytes(request));
  MessageBlocks::ReverseCursor cursor(log.messages(), *request.from);
  Message message;
  while (!limited.is_full() && cursor.next(message) && limited.give(message)) {
  }
  counters_.read += limited.given();
  sink.end(limited.given());
}

}  // namespace millrace
