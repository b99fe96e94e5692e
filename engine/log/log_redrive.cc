// LogOperations: dead letters go back to the logs they came from.
#include <string>
#include <vector>

#include "engine/base/quoted.h"
#include "engine/log/dead_letter_tag.h"
#include "engine/log/log_effects.h"
#include "engine/log/log_operations.h"

namespace millrace {

namespace {

// How much one request moves, besides its first letter.
constexpr uint64_t kMostBytes = 4 * 1024 * 1024;

// Letters in a row that go to the same log.
struct Batch {
  std::string to;
  std::vector<std::string> texts;  // tag, entry, tag, entry, …
  Offset end;                      // one past the last of them
};

// Takes letters from `from` on that go to the same log, at most `count` and kMostBytes. Empty if there is none, or the
// first message is not a dead letter.
Batch next_batch(const Log& log, Offset from, uint64_t count, std::optional<ByteView> to, uint64_t& bytes_left) {
  Batch batch;
  Log::Cursor cursor(log, from);
  Message message;
  while (batch.texts.size() / 2 < count && bytes_left != 0 && cursor.next(message)) {
    auto origin = dead_letter_origin(message.tag);
    if (!origin) break;
    const ByteView target = to ? *to : ByteView(origin->key);
    if (batch.texts.empty()) batch.to = target;
    if (batch.to != target) break;
    bytes_left -= std::min<uint64_t>(bytes_left, origin->tag.size() + message.entry.size());
    batch.texts.push_back(std::move(origin->tag));
    batch.texts.emplace_back(message.entry);
    batch.end = message.offset + 1;
  }
  return batch;
}

}  // namespace

Outcome<uint64_t> LogOperations::redrive(Place<Log>& place, const RedriveRequest& request, const Call&) {
  Outcome<uint64_t> done(uint64_t{0});
  if (place.get() == nullptr) return done;
  Log& log = *place.get();
  const auto may_go = [&](const std::string& to) -> Result<void> {
    if (to == place.name()) return fail(ErrorCode::Range, "dead letters cannot go back to the log they are in");
    return other_logs_.may_write(place, to);
  };
  uint64_t moved = 0, bytes_left = kMostBytes;
  Result<void> stopped;
  Offset end = log.first();
  while (stopped && moved < request.count) {
    const Batch batch = next_batch(log, end, request.count - moved, request.to, bytes_left);
    if (batch.texts.empty()) break;
    stopped = may_go(batch.to);
    if (!stopped) break;
    const std::vector<ByteView> pairs(batch.texts.begin(), batch.texts.end());
    if (!other_logs_.write(place, batch.to, {.backlog = std::nullopt, .pairs = pairs})) {
      stopped = fail(ErrorCode::Full, "the log " + quoted(batch.to) + " cannot be written to now");
      break;
    }
    moved += pairs.size() / 2;
    end = batch.end;
  }
  if (moved == 0) return stopped ? std::move(done) : Outcome<uint64_t>(std::unexpected(stopped.error()));
  settle_evicted(log, log.evict_before(end));
  counters_.redriven += moved;
  done.answer = moved;
  done.consequences.effects.add_command(kEvictCommand, end.value() - 1);
  done.consequences.events.add("tredrive");
  // Moved messages are no longer pending, so a group may have room for more.
  done.consequences.wake = Wake::all_lines();
  return done;
}

}  // namespace millrace
