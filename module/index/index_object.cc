#include "module/index/index_object.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "engine/index/index_keys.h"
#include "module/abi/document.h"
#include "module/abi/timer.h"
#include "module/index/index_documents.h"
#include "module/runtime/imported_slots.h"
#include "module/runtime/slice.h"

namespace millrace::module {

IndexOperations& index_operations() {
  static IndexOperations operations(hash_key());
  return operations;
}

void ObjectTraits<Index>::settle(KeyPlace<Index>& place, const Consequences& follow) {
  if (follow.events.empty()) return;
  RegisteredIndex& registered = index_registry::add(place.database_key(), place.get());
  if (std::string_view(*follow.events.begin()) == "idx.apply") {
    if (is_loading_documents) registered.is_among_documents = true;
    // Parts from a client are not trusted: the index is compared with the documents on this server.
    if (!is_loading_documents) place.get()->set_work(IndexWork::Verify);
  }
  // A saved index includes its documents.
  if (place.get()->work() != IndexWork::None && !is_loading_documents && !imported_slots::has(place.name())) {
    index_upkeep::work_on(place.context(), registered);
  }
  index_upkeep::resume();
}

namespace index_upkeep {

namespace {

// How long after its date a document is looked for, if the host has not deleted it by then.
constexpr uint64_t kGraceMs = 1000;
constexpr size_t kKeysPerTurn = 100;
// How many unused ids are skipped before the time is looked at.
constexpr size_t kIdsAtOnce = 100;
// A turn with a slice in it takes less than a millisecond, with what the host does by itself and a client's command.
constexpr std::chrono::microseconds kSlice{300};
// The command that begins a check works longer, so that a small index is checked at once.
constexpr std::chrono::microseconds kFirstSliceOfCheck{900};

void fire(abi::Context context);
constinit abi::Timer timer(fire);

void count(IndexReport& report, DocumentState state) {
  if (state == DocumentState::Missing) ++report.missing;
  if (state == DocumentState::Stale) ++report.stale;
  if (state == DocumentState::Wrong) ++report.wrong;
}

void look_at(abi::Context context, RegisteredIndex& registered, IndexSweep& sweep, const std::string& key) {
  const abi::OwnedString name(key);
  const abi::DocumentKey document(context, name);
  if (sweep.is_check) {
    const DocumentState state = compare_document(registered, document, key);
    if (state == DocumentState::NoDocument) return;
    // Documents of the index were counted in the first pass.
    const bool is_first_pass = sweep.document.has_value();
    if (is_first_pass || state == DocumentState::Missing) ++sweep.report.checked;
    if (state == DocumentState::Agrees) return;
    if (is_first_pass || state == DocumentState::Missing) count(sweep.report, state);
    if (!sweep.repairs) return;
    ++sweep.report.repaired;
  }
  sync_document(registered, document, key);
}

// Visits the next document of the index. False once all were visited.
bool sweep_document(abi::Context context, RegisteredIndex& registered, IndexSweep& sweep) {
  const IndexedDocuments& documents = registered.index->documents();
  for (size_t looked = 0; looked < kIdsAtOnce && *sweep.document < documents.limit(); ++looked) {
    const DocumentId id((*sweep.document)++);
    if (!documents.is_there(id)) continue;
    look_at(context, registered, sweep, document_key(*registered.index, id));
    return true;
  }
  return *sweep.document < documents.limit();
}

// Visits the next key of the database. False once all were visited.
bool sweep_key(abi::Context context, RegisteredIndex& registered, IndexSweep& sweep) {
  if (!sweep.keys.empty()) {
    const std::string key = std::move(sweep.keys.back());
    sweep.keys.pop_back();
    look_at(context, registered, sweep, key);
    return true;
  }
  if (!sweep.has_keys) return false;
  if (sweep.scan == nullptr) sweep.scan = std::make_unique<abi::KeyScan>();
  sweep.has_keys = sweep.scan->next(context, [&](ByteView key) {
    ++sweep.scanned;
    if (registered.covers(key)) sweep.keys.emplace_back(key);
  });
  return sweep.has_keys || !sweep.keys.empty();
}

void begin(RegisteredIndex& registered, bool with_documents, bool repairs, bool is_check) {
  IndexSweep& sweep = registered.sweep.emplace();
  sweep.repairs = repairs;
  sweep.is_check = is_check;
  sweep.schema_version = registered.index->schema_version();
  if (with_documents) sweep.document = 0;
}

bool has_work(const RegisteredIndex& registered) {
  return registered.sweep || registered.index->work() != IndexWork::None;
}

// A field or an order that was added meanwhile is not in the documents that have been read.
void begin_if_needed(RegisteredIndex& registered) {
  const IndexWork work = registered.index->work();
  const bool is_outdated = registered.sweep && registered.sweep->schema_version != registered.index->schema_version();
  if (work == IndexWork::None || (registered.sweep && !registered.sweep->is_check && !is_outdated)) return;
  begin(registered, work == IndexWork::Verify || work == IndexWork::Tidy, true, false);
  registered.sweep->has_keys = work != IndexWork::Tidy;
}

void end(RegisteredIndex& registered) {
  if (registered.sweep->is_check) {
    registered.checked = registered.sweep->report;
  } else {
    registered.index->set_work(IndexWork::None);
  }
  registered.sweep.reset();
}

// Documents that expired long ago: either the host deleted them without an event, when it loaded its file, or it has
// not deleted them yet.
void take_out_expired(abi::Context context, RegisteredIndex& registered, UnixMs now, const Slice& slice) {
  std::vector<std::string> keys;
  ByteOrder::Walk walk(registered.index->expiries());
  for (walk.seek(""); walk.is_at_entry() && keys.size() < kKeysPerTurn; walk.next()) {
    if (static_cast<uint64_t>(integer_of_key(walk.entry())) + kGraceMs >= now.value()) break;
    keys.push_back(document_key(*registered.index, id_of_entry(walk.entry())));
  }
  for (const std::string& key : keys) {
    if (slice.is_over()) return;
    const abi::OwnedString name(key);
    sync_document(registered, abi::DocumentKey(context, name), key);
  }
}

bool is_first_date_over(const Index& index, UnixMs now) {
  if (index.expiries().size() == 0) return false;
  ByteOrder::Walk walk(index.expiries());
  walk.seek("");
  return static_cast<uint64_t>(integer_of_key(walk.entry())) + kGraceMs < now.value();
}

void do_slice(abi::Context context, RegisteredIndex& registered, const Slice& slice);

void fire(abi::Context context) {
  const UnixMs now = abi::now();
  const Slice slice(kSlice);
  std::vector<DatabaseKey> places;
  bool has_dates = false;
  index_registry::each([&](const RegisteredIndex& registered) {
    if (imported_slots::has(registered.place.name)) return;
    if (has_work(registered) || is_first_date_over(*registered.index, now)) places.push_back(registered.place);
    has_dates |= registered.index->expiries().size() > 0;
  });
  // Each call begins with another index, so that all of them get their turn.
  static size_t turn = 0;
  for (size_t i = 0; i < places.size() && !slice.is_over(); ++i) {
    const DatabaseKey& place = places[turn++ % places.size()];
    // Opening a document may delete it, and another module may then change anything.
    RegisteredIndex* registered = index_registry::find(place);
    if (registered == nullptr) continue;
    context.select(place.database);
    take_out_expired(context, *registered, now, slice);
    registered = index_registry::find(place);
    if (registered != nullptr && has_work(*registered)) do_slice(context, *registered, slice);
  }
  if (!places.empty()) {
    timer.set_at_latest(now + 1);
  } else if (has_dates) {
    timer.set_at_latest(now + kGraceMs);
  }
}

}  // namespace

void resume() { timer.set_at_latest(abi::now() + 1); }

void see_to_dates(const RegisteredIndex& registered) {
  // The timer runs while the index has dates; the first date starts it.
  if (registered.index->expiries().size() == 1) timer.set_at_latest(abi::now() + kGraceMs);
}

void begin_refresh(RegisteredIndex& registered) {
  if (has_work(registered)) return;
  begin(registered, true, true, false);
  registered.sweep->has_keys = false;
}

void begin_check(abi::Context context, RegisteredIndex& registered, bool repairs) {
  if (has_work(registered)) return;
  begin(registered, true, repairs, true);
  do_slice(context, registered, Slice(kFirstSliceOfCheck));
  if (has_work(registered)) resume();
}

void work_on(abi::Context context, RegisteredIndex& registered) { do_slice(context, registered, Slice(kSlice)); }

namespace {

void do_slice(abi::Context context, RegisteredIndex& registered, const Slice& slice) {
  begin_if_needed(registered);
  do {
    IndexSweep& sweep = *registered.sweep;
    if (sweep.document) {
      if (!sweep_document(context, registered, sweep)) sweep.document.reset();
    } else if (!sweep_key(context, registered, sweep)) {
      return end(registered);
    }
  } while (!slice.is_over());
}

}  // namespace

}  // namespace index_upkeep

}  // namespace millrace::module
