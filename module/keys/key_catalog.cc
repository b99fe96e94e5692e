#include "module/keys/key_catalog.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "module/abi/clock.h"
#include "module/abi/data_type.h"
#include "module/abi/document.h"
#include "module/abi/timer.h"
#include "module/runtime/imported_slots.h"
#include "module/runtime/key_made.h"
#include "module/runtime/reclaim.h"
#include "module/runtime/slice.h"

namespace millrace::module::key_catalog {

namespace {

// How long a catalog is kept after the last request.
constexpr uint64_t kKeptMs = 300'000;
constexpr uint64_t kLookMs = 30'000;
// The pause between two slices of half a millisecond, so that other work has most of the time.
constexpr uint64_t kPauseMs = 2;

struct Catalog {
  KeyNames names;
  std::unique_ptr<abi::KeyScan> scan = std::make_unique<abi::KeyScan>();  // null: the catalog is complete
  uint64_t scanned = 0;
  MonotonicMs asked;
};

// By database. Null: there is no catalog, because it is not used.
std::vector<std::unique_ptr<Catalog>>& catalogs() {
  static auto& all = *new std::vector<std::unique_ptr<Catalog>>();
  return all;
}

class UnusedNames final : public Reclaimable {
 public:
  explicit UnusedNames(std::unique_ptr<Catalog> unused) : unused_(std::move(unused)) {}
  bool free_some() override { return unused_->names.free_some(); }

 private:
  std::unique_ptr<Catalog> unused_;
};

Catalog* find(int database) {
  const auto index = static_cast<size_t>(database);
  return index < catalogs().size() ? catalogs()[index].get() : nullptr;
}

void made(int database, ByteView name, uint8_t type) {
  if (imported_slots::has(name)) return;
  if (Catalog* const catalog = find(database)) catalog->names.add(type, name);
}

void look(abi::Context context);
constinit abi::Timer timer(look);

// The hook is set only while there is a catalog.
void set_hooks() {
  const bool is_used = std::ranges::any_of(catalogs(), [](const auto& one) { return one != nullptr; });
  key_made = is_used ? made : nullptr;
}

void drop(std::unique_ptr<Catalog>& catalog) {
  if (may_reclaim_later()) {
    reclaim(std::make_unique<UnusedNames>(std::move(catalog)));
  } else {
    catalog.reset();
  }
}

// Replaces the catalog by an empty one, and scans all keys again.
void start_afresh(std::unique_ptr<Catalog>& catalog) {
  if (catalog == nullptr) return;
  auto fresh = std::make_unique<Catalog>();
  fresh->asked = catalog->asked;
  drop(catalog);
  catalog = std::move(fresh);
  timer.set_at_latest(abi::now() + kPauseMs);
}

// Scans some keys of the context's database. The visitor must not change keys of the host.
void scan_some(abi::Context context, Catalog& catalog, const Slice& slice) {
  while (catalog.scan != nullptr && !slice.is_over()) {
    const auto looked =
        catalog.scan->next_of_ours(context, [&](ByteView name, uint8_t type) { catalog.names.add(type, name); });
    catalog.scanned += looked.keys;
    if (!looked.goes_on) catalog.scan.reset();
  }
}

void look(abi::Context context) {
  const Slice slice;
  const MonotonicMs now = abi::monotonic_now();
  bool is_building = false;
  bool is_used = false;
  for (size_t i = 0; i < catalogs().size(); ++i) {
    if (catalogs()[i] == nullptr) continue;
    if (now - catalogs()[i]->asked > kKeptMs) {
      drop(catalogs()[i]);
      catalogs()[i] = nullptr;
      set_hooks();
      continue;
    }
    is_used = true;
    context.select(static_cast<int>(i));
    scan_some(context, *catalogs()[i], slice);
    is_building |= catalogs()[i]->scan != nullptr;
  }
  if (is_used) timer.set_at_latest(abi::now() + (is_building ? kPauseMs : kLookMs));
}

}  // namespace

Known ask(abi::Context context) {
  const auto index = static_cast<size_t>(context.database());
  if (index >= catalogs().size()) catalogs().resize(index + 1);
  auto& catalog = catalogs()[index];
  if (catalog == nullptr) {
    catalog = std::make_unique<Catalog>();
    set_hooks();
    scan_some(context, *catalog, Slice());
  } else if (context.is_loading()) {
    scan_some(context, *catalog, Slice());  // the timer does not
  }
  catalog->asked = abi::monotonic_now();
  timer.set_at_latest(abi::now() + (catalog->scan != nullptr ? kPauseMs : kLookMs));
  const uint64_t size = abi::database_size(context);
  const bool is_complete = catalog->scan == nullptr;
  return {catalog->names, is_complete, is_complete ? size : std::min(catalog->scanned, size), size};
}

void appeared(abi::Context context, abi::StringRef name) {
  Catalog* const catalog = find(context.database());
  if (catalog == nullptr || imported_slots::has(name.view())) return;
  if (const auto type = abi::type_number(context, name)) {
    catalog->names.add(*type, name.view());
  } else {
    catalog->names.remove(name.view());
  }
}

void left(int database, ByteView name) {
  if (Catalog* const catalog = find(database)) catalog->names.remove(name);
}

void swap(int first, int second) {
  if (catalogs().empty()) return;
  catalogs().resize(std::max(catalogs().size(), static_cast<size_t>(std::max(first, second)) + 1));
  // The keys of both databases are exchanged, so their catalogs, with the cursors of their scans, are exchanged, too.
  auto& one = catalogs()[static_cast<size_t>(first)];
  auto& other = catalogs()[static_cast<size_t>(second)];
  std::swap(one, other);
}

void empty(int database) {
  for (size_t i = 0; i < catalogs().size(); ++i) {
    if (database == -1 || database == static_cast<int>(i)) start_afresh(catalogs()[i]);
  }
}

// Loading does not call the hook for each key, so all keys are scanned again.
void follow_loading(abi::Loading moment) {
  if (moment == abi::Loading::Begins || abi::replaces_keys(moment)) empty(-1);
}

// The host did not show the keys of the imported slots to the scan, and they were not added when they came.
void import_ended() { empty(-1); }

uint64_t keys() {
  uint64_t sum = 0;
  for (const auto& catalog : catalogs()) sum += catalog == nullptr ? 0 : catalog->names.size();
  return sum;
}

uint64_t memory() {
  uint64_t sum = 0;
  for (const auto& catalog : catalogs()) sum += catalog == nullptr ? 0 : catalog->names.memory();
  return sum;
}

}  // namespace millrace::module::key_catalog
