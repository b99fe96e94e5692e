#include "engine/keys/key_names.h"

#include <utility>

#include "engine/index/index_keys.h"

namespace millrace {

std::string KeyNames::entry_of(ByteView name) {
  std::string entry;
  entry.reserve(name.size() + 1);
  append_text_key(entry, name);
  return entry;
}

bool KeyNames::add(KeyType type, ByteView name) {
  const bool is_long = name.size() > kMostShort;
  Names& names = types_[type];
  const std::string entry = is_long ? std::string(name) : entry_of(name);
  if (is_long ? names.long_names.contains(entry) : names.short_names.contains(entry)) return false;
  remove(name);
  is_long ? void(names.long_names.insert(entry)) : void(names.short_names.insert(entry));
  return true;
}

bool KeyNames::remove(ByteView name) {
  const bool is_long = name.size() > kMostShort;
  const std::string entry = is_long ? std::string(name) : entry_of(name);
  for (Names& names : types_) {
    if (is_long ? names.long_names.erase(entry) != 0 : names.short_names.erase(entry)) return true;
  }
  return false;
}

uint64_t KeyNames::size() const {
  uint64_t sum = 0;
  for (size_t type = 0; type < kKeyTypes; ++type) sum += size(static_cast<KeyType>(type));
  return sum;
}

size_t KeyNames::memory() const {
  size_t sum = sizeof(*this);
  for (const Names& names : types_) {
    sum += names.short_names.memory();
    for (const std::string& name : names.long_names) sum += name.capacity() + sizeof(name) + 4 * sizeof(void*);
  }
  return sum;
}

bool KeyNames::free_some() {
  for (Names& names : types_) {
    if (names.short_names.free_some()) return true;
  }
  return false;
}

KeyNames::Walk::Walk(const KeyNames& names, std::optional<KeyType> type) : names_(names) {
  for (size_t i = 0; i < kKeyTypes; ++i) {
    if (type && *type != i) continue;
    const auto& long_names = names.types_[i].long_names;
    sources_[i].emplace(Source{ByteOrder::Walk(names.types_[i].short_names), long_names.end(), long_names.end()});
  }
}

void KeyNames::Walk::begin(const std::optional<ByteView>& after) {
  const std::string entry = after ? entry_of(*after) : std::string();
  for (size_t i = 0; i < kKeyTypes; ++i) {
    if (!sources_[i]) continue;
    Source& source = *sources_[i];
    const auto& long_names = names_.types_[i].long_names;
    // Every entry that is greater than the name's own entry belongs to a greater name.
    source.short_names.seek(entry);
    if (after && source.short_names.is_at_entry() && source.short_names.entry() == entry) source.short_names.next();
    source.long_name = after ? long_names.upper_bound(std::string(*after)) : long_names.begin();
    set_front(source);
  }
  choose();
}

void KeyNames::Walk::set_front(Source& source) {
  source.has_front = source.short_names.is_at_entry();
  source.is_long = false;
  if (source.has_front) {
    ByteView entry = source.short_names.entry();
    source.front = take_text(entry);
  }
  if (source.long_name != source.end && (!source.has_front || *source.long_name < source.front)) {
    source.front = *source.long_name;
    source.has_front = true;
    source.is_long = true;
  }
}

void KeyNames::Walk::choose() {
  at_.reset();
  for (size_t i = 0; i < kKeyTypes; ++i) {
    if (!sources_[i] || !sources_[i]->has_front) continue;
    if (!at_ || sources_[i]->front < sources_[*at_]->front) at_ = static_cast<KeyType>(i);
  }
}

void KeyNames::Walk::next() {
  Source& source = *sources_[*at_];
  source.is_long ? void(++source.long_name) : source.short_names.next();
  set_front(source);
  choose();
}

}  // namespace millrace
