#include <iterator>

#include "module/log/log_resources.h"
#include "module/log/log_shows.h"

namespace millrace::module {

namespace {

const char* name_of(TailHolder holder) {
  switch (holder) {
    case TailHolder::Nothing:
      return "none";
    case TailHolder::Count:
      return "count";
    case TailHolder::Age:
      return "age";
    case TailHolder::Bytes:
      return "bytes";
    case TailHolder::Group:
      return "group";
    case TailHolder::NoGroup:
      return "no group";
  }
  return "none";
}

const char* name_of(CompactionProgress::State state) {
  switch (state) {
    case CompactionProgress::State::Off:
      return "off";
    case CompactionProgress::State::Indexing:
      return "indexing";
    case CompactionProgress::State::Compacting:
      return "compacting";
    case CompactionProgress::State::Clean:
      return "clean";
  }
  return "off";
}

}  // namespace

void Tinfo::show(abi::Reply reply, const Shown<Log>& shown, NoRequest) {
  const Log missing;
  const Log& log = shown.object == nullptr ? missing : *shown.object;
  const Retention& keep = log.retention();
  const CompactionProgress compaction = log.compaction_progress();

  const LogExtras* const extras = log.extras();
  const TagDeletion* const deletion =
      extras == nullptr || extras->deletions.empty() ? nullptr : &extras->deletions.front();

  const struct {
    const char* name;
    uint64_t value;
  } numbers[] = {
      {"first", log.first().value()},
      {"last", log.last().value()},
      {"messages", log.count()},
      {"bytes", log.payload()},
      {"first-time", log.empty() ? 0 : log.first_time().value()},
      {"last-time", log.clock().value()},
      {"blocks", log.block_count()},
      {"memory", log.memory()},
      {"packed-blocks", log.packed_blocks()},
      {"packed-saved", log.saved_by_packing()},
      {"retain-count", keep.count},
      {"retain-age", keep.age_ms},
      {"retain-bytes", keep.bytes},
      {"groups", log.groups().size()},
      {"compacted", log.compacted_total()},
      {"compaction-offset", compaction.reached.value()},
      {"compaction-superseded", compaction.superseded},
      {"epoch", log.epoch().value()},
      {"scheduled", extras == nullptr ? 0 : extras->schedule.size()},
      {"scheduled-bytes", extras == nullptr ? 0 : extras->schedule.payload()},
      {"scheduled-next", extras == nullptr ? 0 : extras->schedule.next_due().value_or(UnixMs(0)).value()},
      {"retain-ids", keep.ids_ms == 0 ? log_limits().ids_ms : uint64_t{keep.ids_ms}},
      {"ids", extras == nullptr || !extras->ids ? 0 : extras->ids->size()},
      {"deleted", log.deleted_total()},
      {"deleting", extras == nullptr ? 0 : extras->deletions.size()},
      {"deleting-offset", deletion == nullptr ? 0 : deletion->at.value()},
      {"deleting-end", deletion == nullptr ? 0 : deletion->end.value() - 1},
  };
  reply.map(std::size(numbers) + 6);
  for (const auto& [name, value] : numbers) {
    reply.bytes(name);
    reply.integer(static_cast<int64_t>(value));
  }
  const TailHolder holder = log.tail_holder(abi::now());
  reply.bytes("compaction");
  reply.bytes(name_of(compaction.state));
  reply.bytes("retain-latest");
  reply.bytes(keep.latest ? "yes" : "no");
  reply.bytes("retain-acked");
  reply.bytes(keep.acked ? "yes" : "no");
  reply.bytes("retain-refuse");
  reply.bytes(keep.refuse ? "yes" : "no");
  reply.bytes("tail-held-by");
  reply.bytes(name_of(holder));
  reply.bytes("tail-held-by-group");
  holder == TailHolder::Group ? reply.bytes(log.slowest_group().first) : reply.null();
}

}  // namespace millrace::module
