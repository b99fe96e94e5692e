#include "module/index/index_registry.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <string_view>
#include <unordered_map>

#include "engine/base/hash_slot.h"
#include "module/abi/staging.h"

namespace millrace::module {

bool RegisteredIndex::covers(ByteView key) const {
  static const bool is_cluster = abi::own_context().is_cluster();
  if (!key.starts_with(index->schema().prefix()) || key == place.name) return false;
  // In a cluster an index covers the documents of its own slot, which move with it.
  return !is_cluster || hash_slot(key) == slot;
}

namespace index_registry {

namespace {

// The indexes of one database. A key is looked up once for each length that a prefix has.
struct Prefixes {
  std::vector<size_t> lengths;
  std::unordered_map<std::string_view, std::vector<RegisteredIndex*>> indexes;
};

std::unordered_map<DatabaseKey, std::unique_ptr<RegisteredIndex>> all;
std::unordered_map<const Index*, DatabaseKey> places;
std::map<int, Prefixes> by_database;
bool is_up_to_date = true;

void update() {
  by_database.clear();
  for (const auto& [place, registered] : all) {
    Prefixes& prefixes = by_database[place.database];
    const std::string& prefix = registered->index->schema().prefix();
    prefixes.indexes[prefix].push_back(registered.get());
    if (std::ranges::find(prefixes.lengths, prefix.size()) == prefixes.lengths.end()) {
      prefixes.lengths.push_back(prefix.size());
    }
  }
  is_up_to_date = true;
}

// Not 0.
uint32_t random_number() {
  std::array<unsigned char, sizeof(uint32_t)> random;
  abi::fill_with_randomness(random);
  return std::bit_cast<uint32_t>(random) | 1;
}

}  // namespace

RegisteredIndex& add(const DatabaseKey& place, Index* index) {
  if (index->number() == 0) index->set_number(random_number());
  auto& registered = all[place];
  if (registered == nullptr || registered->index != index) {
    if (registered != nullptr) places.erase(registered->index);
    places[index] = place;
    registered = std::make_unique<RegisteredIndex>();
    registered->place = place;
    registered->index = index;
    registered->slot = hash_slot(place.name);
    is_up_to_date = false;
    abi::watch_documents();
  }
  return *registered;
}

void loaded(const DatabaseKey& place, Index* index) {
  // RESTORE may still fail; its event registers the index.
  abi::watch_documents();
  if (abi::own_context().is_loading()) add(place, index);
}

void remove(const DatabaseKey& place) {
  const auto found = all.find(place);
  if (found == all.end()) return;
  // It may be registered under another name already.
  const auto known = places.find(found->second->index);
  if (known != places.end() && known->second == place) places.erase(known);
  all.erase(found);
  is_up_to_date = false;
}

void forget(const Index& index) {
  if (const auto found = places.find(&index); found != places.end()) remove(DatabaseKey(found->second));
}

RegisteredIndex* find(const DatabaseKey& place) {
  const auto found = all.find(place);
  return found == all.end() ? nullptr : found->second.get();
}

void each_covering(int database, ByteView key, const std::function<void(RegisteredIndex&)>& visit) {
  if (!is_up_to_date) update();
  const auto prefixes = by_database.find(database);
  if (prefixes == by_database.end()) return;
  for (const size_t length : prefixes->second.lengths) {
    if (length > key.size()) continue;
    const auto found = prefixes->second.indexes.find(key.substr(0, length));
    if (found == prefixes->second.indexes.end()) continue;
    for (RegisteredIndex* registered : found->second) {
      if (registered->covers(key)) visit(*registered);
    }
  }
}

void each(const std::function<void(RegisteredIndex&)>& visit) {
  for (const auto& [place, registered] : all) {
    if (!abi::is_staged(place.database)) visit(*registered);
  }
}

bool is_covered(int database, ByteView key) {
  bool is_covered = false;
  each_covering(database, key, [&](RegisteredIndex&) { is_covered = true; });
  return is_covered;
}

uint64_t size() {
  return static_cast<uint64_t>(
      std::ranges::count_if(all, [](const auto& each) { return !abi::is_staged(each.first.database); }));
}

void follow_swap(int first, int second) {
  auto before = std::move(all);
  all.clear();
  for (auto& [place, registered] : before) {
    registered->place = place.after_swap(first, second);
    places[registered->index] = registered->place;
    all[registered->place] = std::move(registered);
  }
  is_up_to_date = false;
}

namespace {

template <class IsThere>
void forget_where(IsThere is_there) {
  std::erase_if(all, [&](const auto& each) { return is_there(each.first.database); });
  std::erase_if(places, [&](const auto& each) { return is_there(each.second.database); });
  is_up_to_date = false;
}

}  // namespace

void forget_database(int database) {
  forget_where([&](int each) { return database == -1 ? !abi::is_staged(each) : each == database; });
}

void forget_staged() { forget_where(abi::is_staged); }

void take_over_staged() {
  forget_database(-1);
  auto before = std::move(all);
  all.clear();
  for (auto& [place, registered] : before) {
    registered->place.database = abi::after_takeover(place.database);
    places[registered->index] = registered->place;
    all[registered->place] = std::move(registered);
  }
}

}  // namespace index_registry

}  // namespace millrace::module
