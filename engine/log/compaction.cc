#include "engine/log/compaction.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "engine/log/log.h"

namespace millrace {

namespace {

bool has_tag(const Log& log, Offset offset, ByteView tag) {
  Message message{};
  return Log::Cursor(log, offset).next(message) && message.offset == offset && message.tag == tag;
}

}  // namespace

Compaction::Compaction(const Log& log) : indexed_to_(log.first()), scanned_to_(log.first()), scan_end_(log.first()) {}

HashKey& tag_hash_key() {
  static HashKey key{};
  return key;
}

uint32_t Compaction::hash_of(ByteView tag) { return static_cast<uint32_t>(keyed_hash(tag_hash_key(), tag)); }

Compaction::Entries Compaction::entries_of(const Log& log, uint32_t hash) {
  Entries found;
  newest_.find(hash, [&](Place& place) {
    if (place.offset() < log.first()) return false;
    found.only = &place;
    ++found.count;
    return false;
  });
  return found;
}

Compaction::Place* Compaction::entry_for(const Log& log, uint32_t hash, ByteView tag) {
  return newest_.find(
      hash, [&](const Place& place) { return place.offset() >= log.first() && has_tag(log, place.offset(), tag); });
}

void Compaction::add_entry(const Log& log, uint32_t hash, Offset offset) {
  const auto lives = [&](const Place& place) { return place.offset() >= log.first(); };
  newest_.insert(hash, Place(offset), lives);
  newest_.shrink(log.count(), lives);
}

void Compaction::on_append(const Log& log, Offset offset, ByteView tag) {
  if (offset != indexed_to_) return;  // index_some() will come to it
  note(log, offset, tag);
  indexed_to_ = offset + 1;
}

// The message takes its tag's entry, and the one that had it is superseded.
void Compaction::note(const Log& log, Offset offset, ByteView tag) {
  const uint32_t hash = hash_of(tag);
  const Entries entries = entries_of(log, hash);
  Place* const entry = entries.count > 1 ? entry_for(log, hash, tag) : entries.only;
  if (entry == nullptr) return add_entry(log, hash, offset);
  make_dirty(log, entry->offset());
  *entry = Place(offset);
  ++superseded_;
}

void Compaction::make_dirty(const Log& log, Offset offset) {
  if (offset >= scanned_to_ && offset < scan_end_) return;
  const uint64_t block = log.block_span(offset).first.value();
  if (dirty_.find(block) == nullptr) dirty_.insert(block);
}

bool Compaction::clean(Offset from, Offset to) {
  bool any = false;
  for (const uint64_t* block = dirty_.ceiling(from.value()); block != nullptr && *block < to.value();
       block = dirty_.ceiling(from.value())) {
    dirty_.erase(*block);
    any = true;
  }
  return any;
}

void Compaction::on_rewritten(Offset from, Offset to, const std::vector<Block>& blocks) {
  if (!clean(from, to)) return;
  for (const Block& block : blocks) dirty_.insert(block.first().value());
}

uint64_t Compaction::index_some(const Log& log, uint64_t budget) {
  // What is indexed is scanned later, once, so nothing needs to be made dirty now.
  indexed_to_ = std::max(indexed_to_, log.first());
  scan_end_ = log.next();
  uint64_t seen = 0;
  Message message{};
  for (Log::Cursor cursor(log, indexed_to_); seen < budget && cursor.next(message); ++seen) {
    note(log, message.offset, message.tag);
    indexed_to_ = message.offset + 1;
  }
  return seen;
}

bool Compaction::next_block(const Log& log, Offset& from) {
  scanned_to_ = std::max(scanned_to_, log.first());
  if (scanned_to_ < scan_end_) {
    from = scanned_to_;
    return true;
  }
  while (!dirty_.empty() && dirty_.front() < log.block_span(log.first()).first.value()) dirty_.erase(dirty_.front());
  if (dirty_.empty()) {
    superseded_ = 0;
    return false;
  }
  const uint64_t* block = dirty_.ceiling(reached_.value());
  if (block == nullptr) block = &dirty_.front();  // the pass is over, the next begins
  from = Offset(*block);
  return true;
}

// Returns how many messages it has.
uint64_t Compaction::look_at_block(const Log& log, Offset from, Removal& found) {
  const Log::BlockSpan span = log.block_span(from);
  // First, for what is found may make this very block dirty again.
  clean(span.first, span.end);
  reached_ = span.end;
  if (scanned_to_ < scan_end_) scanned_to_ = std::min(span.end, scan_end_);
  uint64_t seen = 0;
  Message message{};
  for (Log::Cursor cursor(log, span.first); cursor.next(message) && message.offset < span.end; ++seen) {
    if (can_go(log, message)) found.add(message.offset);
  }
  return seen;
}

bool Compaction::can_go(const Log& log, const Message& message) {
  const uint32_t hash = hash_of(message.tag);
  const Place place(message.offset);
  if (newest_.find(hash, [&](const Place& each) { return each == place; }) != nullptr) return false;
  Place* const entry = entry_for(log, hash, message.tag);
  if (entry == nullptr) {
    add_entry(log, hash, message.offset);
    return false;
  }
  if (entry->offset() > message.offset) return true;
  // Of two that were taken for another tag's, the older one was looked at first.
  make_dirty(log, entry->offset());
  *entry = place;
  return false;
}

Removal Compaction::find(const Log& log, uint64_t budget) {
  Removal found;
  if (log.empty()) return found;
  Offset from;
  // A pass may find its own end before the budget does: then it begins again only if
  // there is a reason.
  for (uint64_t seen = 0; seen < budget;) {
    if (indexed_to_ < log.next()) {
      seen += index_some(log, budget - seen);
    } else if (!next_block(log, from) || (!found.empty() && from < found.ranges.back().to)) {
      break;
    } else {
      seen += look_at_block(log, from, found);
    }
  }
  superseded_ -= std::min(superseded_, found.count());
  return found;
}

bool Compaction::has_work(const Log& log) const {
  return !log.empty() && (indexed_to_ < log.next() || scanned_to_ < scan_end_ || !dirty_.empty());
}

bool Compaction::free_some(size_t count) { return newest_.free_some(count / HashIndex<Place>::kFull + 1); }

CompactionProgress Compaction::progress(const Log& log) const {
  using State = CompactionProgress::State;
  if (!has_work(log)) return {State::Clean, log.next(), 0};
  if (indexed_to_ < log.next()) return {State::Indexing, std::max(indexed_to_, log.first()), superseded_};
  return {State::Compacting, std::clamp(scanned_to_ < scan_end_ ? scanned_to_ : reached_, log.first(), log.next()),
          superseded_};
}

const char* Compaction::check(const Log& log) const {
  if (const char* broken = newest_.check()) return broken;
  if (const char* broken = dirty_.check()) return broken;
  auto& self = const_cast<Compaction&>(*this);
  Message message{};
  for (Log::Cursor cursor(log, log.first()); cursor.next(message) && message.offset < indexed_to_;) {
    if (message.offset >= scanned_to_ && message.offset < scan_end_) continue;
    const uint32_t hash = hash_of(message.tag);
    const Place place(message.offset);
    if (newest_.find(hash, [&](const Place& each) { return each == place; }) != nullptr) {
      const Place* const entry = self.entry_for(log, hash, message.tag);
      if (*entry != place) return "a tag has two entries";
      continue;
    }
    const Log::BlockSpan span = log.block_span(message.offset);
    const uint64_t* block = dirty_.ceiling(span.first.value());
    if (block == nullptr || *block >= span.end.value()) return "a message has been forgotten by compaction";
  }
  return nullptr;
}

}  // namespace millrace
