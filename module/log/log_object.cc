#include "module/log/log_object.h"

#include <ctime>
#include <list>
#include <string>
#include <vector>

#include "engine/base/hash_slot.h"
#include "module/log/log_resources.h"
#include "module/log/packing.h"
#include "module/log/upkeep_counters.h"
#include "module/runtime/agenda.h"
#include "module/runtime/reclaim.h"
#include "module/runtime/settings.h"
#include "module/runtime/slice.h"
#include "module/runtime/waiting.h"

namespace millrace::module {

namespace {

// The other logs of this server, for a group's dead letters.
class HostedLogs final : public OtherLogs {
 public:
  // The dead letters of a log may be any other log that the cluster keeps on the same node and the user may write to.
  Result<void> may_write(const Place<Log>& from, ByteView to) override {
    const abi::Context context = context_of(from);
    if (context.is_cluster() && hash_slot(to) != hash_slot(from.name())) {
      return fail(ErrorCode::Range, "DEADLETTER must be in the log's hash slot: give both keys the same {tag}");
    }
    const abi::OwnedString name(to);
    static const auto& twrite_word = *new abi::OwnedString("TWRITE");
    const abi::StringRef words[] = {twrite_word, name, name, name};
    if (!context.is_effect() && !context.may_run(words)) {
      return fail(ErrorCode::NoRights, "this user may not TWRITE to the DEADLETTER key");
    }
    const auto opened = LogKey::for_reading(context, name);
    if (!opened) return std::unexpected(opened.error());
    return {};
  }

  bool write(const Place<Log>& from, ByteView to, const WriteRequest& request) override {
    const abi::Context context = context_of(from);
    const abi::OwnedString name(to);
    if (is_elsewhere(context, from.name(), to, name) || !write_to_log(context, name, request)) {
      abi::log_warning(
          "millrace: a group's dead letters cannot be written: the key holds no other log, a full one, or is in "
          "another slot or on another node; trying again in a minute");
      return false;
    }
    return true;
  }

 private:
  // All places of logs in this process are keys.
  static abi::Context context_of(const Place<Log>& place) { return static_cast<const KeyPlace<Log>&>(place).context(); }

  // A log may have been restored in another slot. Or their slot is being moved away, and the letters have gone ahead:
  // others in their place would be in the way of the log's own move.
  static bool is_elsewhere(abi::Context context, ByteView from, ByteView to, abi::StringRef name) {
    if (!context.is_cluster()) return false;
    if (hash_slot(to) != hash_slot(from)) return true;
    const auto key = LogKey::for_upkeep(context, name);
    return key && key->get() == nullptr && context.is_served_elsewhere(name);
  }
};

// However many logs are being compacted, the server belongs to its clients in between.
constexpr auto kRest = std::chrono::microseconds(800);

// The time this thread has worked, whoever else had the processor meanwhile.
uint64_t worked_us() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000 + static_cast<uint64_t>(time.tv_nsec) / 1'000;
}

// A slice of time, unless another log has only just had its turn: then none.
class CompactionBudget final : public Budget {
 public:
  explicit CompactionBudget(const Log& log)
      : compacts_(log.wants_compaction() && std::chrono::steady_clock::now() - last_end_ >= kRest),
        worked_before_(compacts_ ? worked_us() : 0) {}
  ~CompactionBudget() {
    if (!compacts_) return;
    last_end_ = std::chrono::steady_clock::now();
    log_upkeep.compaction_slice_max_us = std::max(log_upkeep.compaction_slice_max_us, worked_us() - worked_before_);
    ++log_upkeep.compaction_slices;
  }
  CompactionBudget(const CompactionBudget&) = delete;
  CompactionBudget& operator=(const CompactionBudget&) = delete;

  bool is_spent() const override { return !compacts_ || slice_.is_over(); }

 private:
  static inline std::chrono::steady_clock::time_point last_end_;

  bool compacts_;
  uint64_t worked_before_;
  Slice slice_;
};

}  // namespace

LogOperations& log_operations() {
  static HostedLogs logs;
  static LogOperations operations(logs, log_limits(), block_packer(), tag_hash_key());
  return operations;
}

void ObjectTraits<Log>::settle(KeyPlace<Log>& place, const Consequences& follow) {
  Log& log = *place.get();
  if (log.has_evicted()) reclaim(log.take_evicted());
  if (log.has_unused_compaction()) reclaim_tags(log.take_unused_compaction());
  if (follow.due && *follow.due < log.promised()) {
    log.promise(*follow.due);
    agenda::add(place.database_key(), *follow.due);
  }
  packing::see_to(log, [&] { return place.database_key(); });
}

Wake ObjectTraits<Log>::wake_all(const Log* log) {
  return {.mark = log == nullptr ? 0 : log->next().value(), .lines = Wake::Lines::All, .line = {}};
}

std::optional<UnixMs> look_after_log(abi::Context context, abi::StringRef name, UnixMs now) {
  auto key = LogKey::for_upkeep(context, name);
  if (!key || key->get() == nullptr) return std::nullopt;
  key->get()->promise(UnixMs(UINT64_MAX));
  KeyPlace<Log> place(context, name, *key);
  Call call;
  call.now.wall = now;
  const CompactionBudget budget(*key->get());
  carry_out(place, log_operations().look_after(place, call, budget));
  return std::nullopt;
}

Result<Offset> write_to_log(abi::Context context, abi::StringRef name, const WriteRequest& request) {
  auto key = LogKey::for_writing(context, name);
  if (!key) return std::unexpected(key.error());
  KeyPlace<Log> place(context, name, *key);
  auto [written, follow] =
      log_operations().write(place, request, {.now = ObjectTraits<Log>::now(), .decides = true, .may_wait = false});
  if (!written) return std::unexpected(written.error());
  follow.effects.each(
      [&] {
        std::list<abi::OwnedString> owned;
        if (request.pairs.size() > 2) owned.emplace_back("ENTRIES");
        for (ByteView part : request.pairs) owned.emplace_back(part);
        std::vector<abi::StringRef> words{name};
        words.insert(words.end(), owned.begin(), owned.end());
        context.replicate_words("TWRITE", words);
      },
      [&](const Effect& effect) {
        context.replicate(kApply, name, effect.name, abi::StringRef(abi::OwnedString(effect.bytes)));
      });
  for (const char* event : follow.events) context.changed(name, event);
  ObjectTraits<Log>::settle(place, follow);
  wake_later({context.database(), std::string(name.view())});
  return written;
}

}  // namespace millrace::module
