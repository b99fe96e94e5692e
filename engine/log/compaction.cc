#include "engine/log/compaction.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "engine/blocks/message_blocks.h"

namespace millrace {

namespace {

bool has_tag(const MessageBlocks& messages, Offset offset, ByteView tag) {
  Message message{};
  return MessageBlocks::Cursor(messages, offset).next(message) && message.offset == offset && message.tag == tag;
}

}  // namespace

Compaction::Compaction(const MessageBlocks& messages, const HashKey& tag_key)
    : tag_key_(tag_key), indexed_to_(messages.first()), scanned_to_(messages.first()), scan_end_(messages.first()) {}

Compaction::Entries Compaction::entries_of(const MessageBlocks& messages, uint32_t hash) {
  Entries found;
  newest_.find(hash, [&](Place& place) {
    if (place.offset() < messages.first()) return false;
    found.only = &place;
    ++found.count;
    return false;
  });
  return found;
}

Compaction::Place* Compaction::entry_for(const MessageBlocks& messages, uint32_t hash, ByteView tag) {
  return newest_.find(hash, [&](const Place& place) {
    return place.offset() >= messages.first() && has_tag(messages, place.offset(), tag);
  });
}

void Compaction::add_entry(const MessageBlocks& messages, uint32_t hash, Offset offset) {
  const auto lives = [&](const Place& place) { return place.offset() >= messages.first(); };
  newest_.insert(hash, Place(offset), lives);
  newest_.shrink(messages.count(), lives);
}

void Compaction::on_append(const MessageBlocks& messages, Offset offset, ByteView tag) {
  if (offset != indexed_to_) return;  // index_some() will reach it
  note(messages, offset, tag);
  indexed_to_ = offset + 1;
}

// The message takes over its tag's entry; the previous message of the tag is superseded.
void Compaction::note(const MessageBlocks& messages, Offset offset, ByteView tag) {
  const uint32_t hash = hash_of(tag);
  const Entries entries = entries_of(messages, hash);
  Place* const entry = entries.count > 1 ? entry_for(messages, hash, tag) : entries.only;
  if (entry == nullptr) return add_entry(messages, hash, offset);
  make_dirty(messages, entry->offset());
  *entry = Place(offset);
  ++superseded_;
}

void Compaction::make_dirty(const MessageBlocks& messages, Offset offset) {
  if (offset >= scanned_to_ && offset < scan_end_) return;
  const uint64_t block = messages.block_span(offset).first.value();
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

uint64_t Compaction::index_some(const MessageBlocks& messages, uint64_t budget) {
  // Indexed messages are scanned once later, so no block needs to be marked dirty now.
  indexed_to_ = std::max(indexed_to_, messages.first());
  scan_end_ = messages.next();
  uint64_t seen = 0;
  Message message{};
  for (MessageBlocks::Cursor cursor(messages, indexed_to_); seen < budget && cursor.next(message); ++seen) {
    note(messages, message.offset, message.tag);
    indexed_to_ = message.offset + 1;
  }
  // The last messages may have been deleted.
  if (seen < budget) indexed_to_ = messages.next();
  return seen;
}

bool Compaction::next_block(const MessageBlocks& messages, Offset& from) {
  scanned_to_ = std::max(scanned_to_, messages.first());
  if (scanned_to_ < scan_end_) {
    from = scanned_to_;
    return true;
  }
  while (!dirty_.empty() && dirty_.front() < messages.block_span(messages.first()).first.value()) {
    dirty_.erase(dirty_.front());
  }
  if (dirty_.empty()) {
    superseded_ = 0;
    return false;
  }
  const uint64_t* block = dirty_.ceiling(reached_.value());
  if (block == nullptr) block = &dirty_.front();  // the pass is over, the next begins
  from = Offset(*block);
  return true;
}

// Returns how many messages the block has.
uint64_t Compaction::look_at_block(const MessageBlocks& messages, Offset from, Removal& found) {
  const MessageBlocks::BlockSpan span = messages.block_span(from);
  // The mark is removed before the search, which may mark the same block dirty again.
  clean(span.first, span.end);
  reached_ = span.end;
  if (scanned_to_ < scan_end_) scanned_to_ = std::min(span.end, scan_end_);
  uint64_t seen = 0;
  Message message{};
  for (MessageBlocks::Cursor cursor(messages, span.first); cursor.next(message) && message.offset < span.end; ++seen) {
    if (can_go(messages, message)) found.add(message.offset);
  }
  return seen;
}

bool Compaction::can_go(const MessageBlocks& messages, const Message& message) {
  const uint32_t hash = hash_of(message.tag);
  const Place place(message.offset);
  if (newest_.find(hash, [&](const Place& each) { return each == place; }) != nullptr) return false;
  Place* const entry = entry_for(messages, hash, message.tag);
  if (entry == nullptr) {
    add_entry(messages, hash, message.offset);
    return false;
  }
  if (entry->offset() > message.offset) return true;
  // Two messages of this tag were assumed to belong to another tag with the same hash, and the older one was looked at
  // first. Now the newer one takes over its entry.
  make_dirty(messages, entry->offset());
  *entry = place;
  return false;
}

Removal Compaction::find(const MessageBlocks& messages, uint64_t budget) {
  Removal found;
  if (messages.empty()) return found;
  Offset from;
  // Stops early if no dirty block is left, or if the next one is before the messages found so far: the ranges of
  // `found` must be in ascending order.
  for (uint64_t seen = 0; seen < budget;) {
    if (indexed_to_ < messages.next()) {
      seen += index_some(messages, budget - seen);
    } else if (!next_block(messages, from) || (!found.empty() && from < found.ranges.back().to)) {
      break;
    } else {
      seen += look_at_block(messages, from, found);
    }
  }
  superseded_ -= std::min(superseded_, found.count());
  return found;
}

bool Compaction::has_work(const MessageBlocks& messages) const {
  return !messages.empty() && (indexed_to_ < messages.next() || scanned_to_ < scan_end_ || !dirty_.empty());
}

bool Compaction::free_some(size_t count) { return newest_.free_some(count / HashIndex<Place>::kFull + 1); }

CompactionProgress Compaction::progress(const MessageBlocks& messages) const {
  using State = CompactionProgress::State;
  if (!has_work(messages)) return {State::Clean, messages.next(), 0};
  if (indexed_to_ < messages.next()) return {State::Indexing, std::max(indexed_to_, messages.first()), superseded_};
  return {State::Compacting,
          std::clamp(scanned_to_ < scan_end_ ? scanned_to_ : reached_, messages.first(), messages.next()), superseded_};
}

const char* Compaction::check(const MessageBlocks& messages) const {
  if (const char* broken = newest_.check()) return broken;
  if (const char* broken = dirty_.check()) return broken;
  auto& self = const_cast<Compaction&>(*this);
  Message message{};
  for (MessageBlocks::Cursor cursor(messages, messages.first());
       cursor.next(message) && message.offset < indexed_to_;) {
    if (message.offset >= scanned_to_ && message.offset < scan_end_) continue;
    const uint32_t hash = hash_of(message.tag);
    const Place place(message.offset);
    if (newest_.find(hash, [&](const Place& each) { return each == place; }) != nullptr) {
      const Place* const entry = self.entry_for(messages, hash, message.tag);
      if (*entry != place) return "a tag has two entries";
      continue;
    }
    const MessageBlocks::BlockSpan span = messages.block_span(message.offset);
    const uint64_t* block = dirty_.ceiling(span.first.value());
    if (block == nullptr || *block >= span.end.value()) return "a message has been forgotten by compaction";
  }
  return nullptr;
}

}  // namespace millrace
