// LogOperations: deleting messages by offset and by tag.
#include <string>
#include <vector>

#include "engine/log/log_extras_codec.h"
#include "engine/log/log_operations.h"
#include "engine/log/log_steps.h"
#include "engine/log/tag_set.h"

namespace millrace {

namespace {

// How many messages are looked at between two checks of the budget.
constexpr uint64_t kMessagesPerLook = 128;
constexpr uint64_t kBlocksPerLook = 1000;

// The messages of one log that will be deleted.
struct Doomed {
  Removal messages;
  uint64_t count = 0;
  // Blocks that keep some messages must be rewritten: their number and bytes.
  uint64_t blocks = 0;
  uint64_t bytes = 0;

  bool is_too_much() const { return count > kMaxDeleted || (bytes > kMaxRewrittenBytes && blocks > 1); }
};

// Adds the messages of `block` in [from, to).
void doom_some(const Log& log, const Block& block, Offset from, Offset to, Doomed& doomed) {
  from = std::max({from, block.first(), log.first()});
  to = std::min(to, block.end());
  if (from >= to) return;
  if (!block.has_gaps()) {
    doomed.messages.add({from, to});
    doomed.count += to - from;
    return;
  }
  Message message;
  for (Log::Cursor cursor(log, from); cursor.at() < to && cursor.next(message) && message.offset < to;) {
    doomed.messages.add(message.offset);
    ++doomed.count;
  }
}

// The messages at these offsets, up to the limits. A replica applies what was decided, even if its blocks are divided
// differently.
Doomed messages_in(const Log& log, const std::vector<OffsetRange>& ranges, bool decides) {
  Doomed doomed;
  Offset counted;  // blocks before this offset are already counted
  for (const OffsetRange& range : ranges) {
    const Offset end = std::min(range.to, kMaxOffset) + 1;
    log.messages().each_block_from(range.from, [&](const Block& block) {
      if (block.first() >= end) return false;
      const bool is_whole = range.from <= block.first() && end >= block.end();
      if (block.end() > counted && (!is_whole || block.has_gaps())) {
        ++doomed.blocks;
        doomed.bytes += decides ? block.size() : 0;
        counted = block.end();
      }
      if (!doomed.is_too_much()) doom_some(log, block, range.from, end, doomed);
      return !doomed.is_too_much();
    });
    if (doomed.is_too_much()) break;
  }
  return doomed;
}

// Finds some of the messages to delete, and updates how far it has looked.
Removal find_some(const Log& log, TagDeletion& deletion, const TagSet& tags) {
  Removal found;
  MessageBlocks::Cursor cursor(log.messages(), deletion.at);
  Message message;
  uint64_t blocks = 0;
  for (uint64_t seen = 0; seen < kMessagesPerLook && blocks < kBlocksPerLook && cursor.at() < deletion.end;) {
    if (cursor.skip_block_without(tags.probes())) {
      ++blocks;
      continue;
    }
    if (!cursor.next(message) || message.offset >= deletion.end) {
      deletion.at = deletion.end;
      return found;
    }
    ++seen;
    if (tags.contains(message.tag)) found.add(message.offset);
  }
  deletion.at = std::min(cursor.at(), deletion.end);
  return found;
}

}  // namespace

Outcome<uint64_t> LogOperations::delete_messages(Place<Log>& place, const DeleteRequest& request, const Call& call) {
  Outcome<uint64_t> done;
  Log* const log = place.get();
  if (log == nullptr || log->empty()) return done;
  Consequences& follow = done.consequences;
  if (!request.tags.empty()) {
    auto& deletions = log->with_extras().deletions;
    if (deletions.size() >= kMaxTagDeletions) {
      return fail(ErrorCode::Full, std::to_string(kMaxTagDeletions) + " deletions by tag are waiting: try again later");
    }
    deletions.push_back({{request.tags.begin(), request.tags.end()}, log->first(), log->next()});
    follow.effects.add_request();
    follow.events.add("tdel");
    keep_extras(*log, call, follow);
    return done;
  }
  const Doomed doomed = messages_in(*log, request.ranges, call.decides);
  const Removal& removal = doomed.messages;
  if (doomed.count > kMaxDeleted) {
    return fail(ErrorCode::Range, "more than " + std::to_string(kMaxDeleted) + " messages at once: name fewer");
  }
  if (doomed.is_too_much()) {
    return fail(ErrorCode::Range, "more than " + std::to_string(kMaxRewrittenBytes / 1024 / 1024) +
                                      " MiB of blocks would be written again: name fewer messages, or such that are "
                                      "closer together");
  }
  if (removal.empty()) return done;
  log->delete_messages(removal, limits_.blocks);
  counters_.deleted += removal.count();
  // A deleted message may have been the last one that kept a group from moving on.
  settle_groups(*log);
  done.answer = removal.count();
  follow.effects.add_request();
  follow.events.add("tdel");
  keep_compaction(*log, call, follow);
  follow.wake = Wake::all_lines();
  return done;
}

void LogOperations::delete_by_tag(Log& log, const Budget& budget, Consequences& follow) {
  auto& deletions = log.extras()->deletions;
  bool any = false;
  while (!deletions.empty() && !budget.is_spent()) {
    TagDeletion& deletion = deletions.front();
    const std::vector<ByteView> views(deletion.tags.begin(), deletion.tags.end());
    const TagSet tags(tag_key_, views);
    Removal deleted;
    do {
      // Messages that were evicted meanwhile need not be looked at.
      deletion.at = std::clamp(log.first(), deletion.at, deletion.end);
      const Removal some = find_some(log, deletion, tags);
      if (some.empty()) continue;
      log.delete_messages(some, limits_.blocks);
      for (const Removal::Range& range : some.ranges) deleted.add(range);
    } while (deletion.at < deletion.end && !budget.is_spent());
    any |= !deleted.empty();
    counters_.deleted += deleted.count();
    follow.effects.add(kLogTagsDeleted, encode_effect(deleted, deletion.at));
    if (deletion.at == deletion.end) deletions.erase(deletions.begin());
    if (!deleted.empty()) settle_groups(log);
  }
  if (any) follow.events.add("tdel");
}

}  // namespace millrace
