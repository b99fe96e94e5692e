#include "engine/fact/fact_names.h"

#include <cstring>
#include <new>

namespace millrace {

namespace {

// How many buckets of the index are freed at a time.
constexpr size_t kBucketsAtOnce = 16;

}  // namespace

// Followed by its bytes.
struct FactNames::Name {
  uint32_t uses;
  FactName id;
  uint32_t size;

  char* bytes() { return reinterpret_cast<char*>(this + 1); }
  ByteView text() { return {bytes(), size}; }
  static size_t size_with(size_t text) { return sizeof(Name) + text; }
};

struct FactNames::Page {
  static constexpr uint32_t kNames = 30;

  uint32_t number;
  uint32_t used = 0;
  Name* names[kNames] = {};

  static uint32_t number_of(FactName id) { return id.value() / kNames; }
  Name*& operator[](FactName id) { return names[id.value() % kNames]; }
};

FactNames::~FactNames() {
  while (free_some()) {
  }
}

// Consecutive numbers must not be in the same bucket.
uint32_t FactNames::page_hash(uint32_t number) {
  const uint64_t mixed = number * 0x9e3779b97f4a7c15ULL;
  return static_cast<uint32_t>(mixed >> 32);
}

FactNames::Page* FactNames::page_of(FactName id) const {
  const uint32_t number = Page::number_of(id);
  if (last_page_ != nullptr && last_page_->number == number) return last_page_;
  Page* const* found = pages_.find(page_hash(number), [&](const Page* page) { return page->number == number; });
  return found == nullptr ? nullptr : *found;
}

FactNames::Name* FactNames::name_of(FactName id) const {
  Page* page = page_of(id);
  return page == nullptr ? nullptr : (*page)[id];
}

FactNames::Name* FactNames::find_name(uint32_t hash, ByteView text) const {
  Name* const* found = by_text_.find(hash, [&](Name* name) { return name->text() == text; });
  return found == nullptr ? nullptr : *found;
}

FactName FactNames::find(ByteView text) const {
  Name* name = find_name(hash(text), text);
  return name == nullptr ? FactName::none() : name->id;
}

ByteView FactNames::text(FactName id) const { return name_of(id)->text(); }

FactName FactNames::use(ByteView text) {
  const uint32_t hashed = hash(text);
  if (Name* name = find_name(hashed, text)) {
    ++name->uses;
    return name->id;
  }
  const FactName id = take_next();
  add(id, text, hashed);
  return id;
}

void FactNames::use(FactName id) { ++name_of(id)->uses; }

void FactNames::restore(FactName id, ByteView text) { add(id, text, hash(text)); }

// Once all numbers were assigned, starts again from the beginning and skips those in use.
FactName FactNames::take_next() {
  const auto after = [](FactName id) {
    return FactName(id.value() + 1 == FactName::none().value() ? 0 : id.value() + 1);
  };
  FactName id = next_;
  while (contains(id)) id = after(id);
  next_ = after(id);
  return id;
}

void FactNames::add(FactName id, ByteView text, uint32_t hashed) {
  Page* page = page_of(id);
  if (page == nullptr) {
    page = new Page{.number = Page::number_of(id)};
    bytes_ += sizeof(Page);
    pages_.insert(page_hash(page->number), page);
  }
  last_page_ = page;
  auto* name = new (::operator new(Name::size_with(text.size())))
      Name{.uses = 1, .id = id, .size = static_cast<uint32_t>(text.size())};
  std::memcpy(name->bytes(), text.data(), text.size());
  bytes_ += Name::size_with(text.size());
  text_bytes_ += text.size();
  (*page)[id] = name;
  ++page->used;
  by_text_.insert(hashed, name);
}

void FactNames::drop(FactName id) {
  Page* page = page_of(id);
  Name* name = (*page)[id];
  if (--name->uses > 0) return;
  by_text_.erase(hash(name->text()), name);
  by_text_.shrink(by_text_.size(), [](const Name*) { return true; });
  free_name(name);
  (*page)[id] = nullptr;
  if (--page->used > 0) return;
  if (last_page_ == page) last_page_ = nullptr;
  pages_.erase(page_hash(page->number), page);
  pages_.shrink(pages_.size(), [](const Page*) { return true; });
  bytes_ -= sizeof(Page);
  delete page;
}

void FactNames::free_name(Name* name) {
  bytes_ -= Name::size_with(name->size);
  text_bytes_ -= name->size;
  ::operator delete(name);
}

bool FactNames::free_some() {
  last_page_ = nullptr;
  if (by_text_.free_some(kBucketsAtOnce)) return true;
  return pages_.free_some(1, [&](Page* page) {
    for (Name* name : page->names) {
      if (name != nullptr) free_name(name);
    }
    bytes_ -= sizeof(Page);
    delete page;
  });
}

const char* FactNames::check(const std::function<uint64_t(FactName)>& uses) const {
  if (const char* broken = by_text_.check()) return broken;
  if (const char* broken = pages_.check()) return broken;
  size_t names = 0;
  size_t bytes = 0;
  const char* broken = nullptr;
  pages_.each([&](Page* page) {
    uint32_t used = 0;
    for (uint32_t i = 0; i < Page::kNames; ++i) {
      Name* name = page->names[i];
      if (name == nullptr) continue;
      ++used;
      bytes += Name::size_with(name->size);
      if (name->id.value() != page->number * Page::kNames + i) broken = "a name under another's number";
      if (find_name(hash(name->text()), name->text()) != name) broken = "a name that is not found";
      if (name->uses != uses(name->id)) broken = "a name is not used as often as it says";
    }
    if (used == 0 || used != page->used) broken = "a page that does not know its names";
    names += used;
    bytes += sizeof(Page);
  });
  if (broken != nullptr) return broken;
  if (names != by_text_.size()) return "more names or fewer than numbers";
  return bytes == bytes_ ? nullptr : "the memory is not that of the names";
}

}  // namespace millrace
