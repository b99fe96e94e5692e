// The messages of a log that wait for a date, in the order in which they become due: by date, then by number. Each
// takes twenty bytes besides tag and entry, in chunks that are rarely less than two thirds full.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "engine/base/bytes.h"
#include "engine/base/ordered_chunks.h"
#include "engine/log/ticket.h"

namespace millrace {

class Schedule {
 public:
  // The views are valid until the message is removed from the schedule.
  struct Waiting {
    Ticket ticket;
    ByteView tag;
    ByteView entry;
  };

  Schedule() = default;
  Schedule(Schedule&& other) noexcept { *this = std::move(other); }
  Schedule& operator=(Schedule&& other) noexcept;
  ~Schedule() { clear(); }
  Schedule clone() const;

  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }
  uint64_t payload() const { return payload_; }  // bytes of tags and entries
  // The number the next message gets.
  uint64_t next_number() const { return next_number_; }
  // REQUIRES: greater than every number in use.
  void set_next_number(uint64_t number) { next_number_ = number; }

  // O(log n). REQUIRES: date and next_number() are at most kMaxTicketPart
  Ticket add(UnixMs date, ByteView tag, ByteView entry);
  // The same for a message that has a ticket already. False, and unchanged, if the ticket is in use.
  // REQUIRES: both parts are at most kMaxTicketPart
  bool put(const Ticket& ticket, ByteView tag, ByteView entry);

  // REQUIRES: !empty()
  Waiting front() const { return waiting(entries_.front()); }
  void pop_front() { take(entries_.front()); }
  // When the first message is due.
  std::optional<UnixMs> next_due() const {
    if (empty()) return std::nullopt;
    return front().ticket.date;
  }

  std::optional<Waiting> find(const Ticket& ticket) const;
  // True if the message was there.
  bool erase(const Ticket& ticket);
  // The first one at or after this ticket.
  std::optional<Waiting> ceiling(const Ticket& ticket) const;

  template <class Visit>
  void each(Visit visit) const {
    entries_.each([&](const Entry& entry) { visit(waiting(entry)); });
  }

  // Frees up to `count` messages; false once there are none.
  bool free_some(size_t count);

  // Bytes of memory besides the object itself.
  uint64_t memory() const { return entries_.memory() + record_bytes_; }
  const char* check() const;

 private:
  // Date and number of 48 bits each, and where the record is: sizes of tag and entry as varints, then both.
  struct Entry {
    uint16_t parts[10];

    uint64_t part(size_t from, size_t count) const;
    void set_part(size_t from, size_t count, uint64_t value);
    Ticket ticket() const { return {UnixMs(part(0, 3)), part(3, 3)}; }
    const char* record() const;
  };
  static Ticket ticket_of(const Entry& entry) { return entry.ticket(); }

  static Waiting waiting(const Entry& entry);
  void take(Entry entry);
  void clear();

  OrderedChunks<Entry, ticket_of> entries_;
  uint64_t next_number_ = 1;
  uint64_t payload_ = 0;
  uint64_t record_bytes_ = 0;
};

}  // namespace millrace
