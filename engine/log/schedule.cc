#include "engine/log/schedule.h"

#include <cstring>

#include "engine/base/varint.h"

namespace millrace {

namespace {

struct RecordView {
  ByteView tag;
  ByteView entry;
  size_t size;
};

RecordView view_of(const char* record) {
  uint64_t tag_size, entry_size;
  const char* at = get_varint_unchecked(get_varint_unchecked(record, tag_size), entry_size);
  return {ByteView(at, tag_size), ByteView(at + tag_size, entry_size),
          static_cast<size_t>(at - record) + tag_size + entry_size};
}

const char* make_record(ByteView tag, ByteView entry) {
  char* const record = new char[varint_size(tag.size()) + varint_size(entry.size()) + tag.size() + entry.size()];
  char* const at = put_varint(put_varint(record, tag.size()), entry.size());
  tag.copy(at, tag.size());
  entry.copy(at + tag.size(), entry.size());
  return record;
}

}  // namespace

uint64_t Schedule::Entry::part(size_t from, size_t count) const {
  uint64_t value = 0;
  std::memcpy(&value, parts + from, count * sizeof(*parts));
  return value;
}

void Schedule::Entry::set_part(size_t from, size_t count, uint64_t value) {
  std::memcpy(parts + from, &value, count * sizeof(*parts));
}

const char* Schedule::Entry::record() const {
  const char* record;
  static_assert(sizeof(record) == 4 * sizeof(*parts));
  std::memcpy(&record, parts + 6, sizeof(record));
  return record;
}

Schedule& Schedule::operator=(Schedule&& other) noexcept {
  clear();
  entries_ = std::exchange(other.entries_, {});
  next_number_ = other.next_number_;
  payload_ = std::exchange(other.payload_, 0);
  record_bytes_ = std::exchange(other.record_bytes_, 0);
  return *this;
}

Schedule Schedule::clone() const {
  Schedule copy;
  each([&](const Waiting& one) { copy.put(one.ticket, one.tag, one.entry); });
  copy.next_number_ = next_number_;
  return copy;
}

void Schedule::clear() {
  entries_.each([](const Entry& entry) { delete[] entry.record(); });
  entries_.clear();
  payload_ = record_bytes_ = 0;
}

Schedule::Waiting Schedule::waiting(const Entry& entry) {
  const RecordView view = view_of(entry.record());
  return {entry.ticket(), view.tag, view.entry};
}

Ticket Schedule::add(UnixMs date, ByteView tag, ByteView entry) {
  const Ticket ticket{date, next_number_};
  put(ticket, tag, entry);
  return ticket;
}

bool Schedule::put(const Ticket& ticket, ByteView tag, ByteView entry) {
  if (entries_.find(ticket) != nullptr) return false;
  const char* const record = make_record(tag, entry);
  Entry added;
  added.set_part(0, 3, ticket.date.value());
  added.set_part(3, 3, ticket.number);
  std::memcpy(added.parts + 6, &record, sizeof(record));
  entries_.insert(added);
  next_number_ = std::max(next_number_, ticket.number + 1);
  payload_ += tag.size() + entry.size();
  record_bytes_ += view_of(record).size;
  return true;
}

void Schedule::take(Entry entry) {
  const RecordView view = view_of(entry.record());
  payload_ -= view.tag.size() + view.entry.size();
  record_bytes_ -= view.size;
  entries_.erase(entry.ticket());
  delete[] entry.record();
}

std::optional<Schedule::Waiting> Schedule::ceiling(const Ticket& ticket) const {
  const Entry* const entry = entries_.ceiling(ticket);
  if (entry == nullptr) return std::nullopt;
  return waiting(*entry);
}

std::optional<Schedule::Waiting> Schedule::find(const Ticket& ticket) const {
  auto found = ceiling(ticket);
  if (found && found->ticket != ticket) found.reset();
  return found;
}

bool Schedule::erase(const Ticket& ticket) {
  const Entry* const entry = entries_.find(ticket);
  if (entry == nullptr) return false;
  take(*entry);
  return true;
}

bool Schedule::free_some(size_t count) {
  for (; count > 0 && !empty(); --count) pop_front();
  return !empty();
}

const char* Schedule::check() const {
  if (const char* broken = entries_.check()) return broken;
  uint64_t payload = 0, bytes = 0, largest = 0;
  entries_.each([&](const Entry& entry) {
    const RecordView view = view_of(entry.record());
    payload += view.tag.size() + view.entry.size();
    bytes += view.size;
    largest = std::max(largest, entry.ticket().number);
  });
  if (payload != payload_ || bytes != record_bytes_) return "a schedule does not know how large it is";
  return largest < next_number_ ? nullptr : "a ticket that will be given again";
}

}  // namespace millrace
