// The ids of requests that were carried out within a window of time, each with the answer that was given: a request
// that is sent again is answered the same, and carried out once.
//
// Of an id a fingerprint of 80 bits is kept, made with a key that should be random: two ids are taken for one another
// once in 10^11 windows of ten million ids. An id costs 25 to 40 bytes, whatever its length.
//
// Ids lie in chunks in the order in which they came, which is that of their dates; an index leads from a fingerprint to
// the place in them. So the oldest are forgotten from the front, and nothing is searched:
//
//   chunk   base date | record record record …      4,096 bytes, at most
//   record  := fingerprint (10 bytes)  date - base  number * 2 + has-date  [date]        (varints)
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "engine/base/buffer.h"
#include "engine/base/bytes.h"
#include "engine/base/hash_index.h"
#include "engine/base/keyed_hash.h"
#include "engine/base/strong.h"

namespace millrace {

class RecentIds {
 public:
  struct Answer {
    uint64_t number = 0;                        // at most INT64_MAX
    std::optional<UnixMs> date = std::nullopt;  // some answers have one

    friend bool operator==(const Answer&, const Answer&) = default;
  };

  static constexpr size_t kFingerprintSize = 10;
  struct Fingerprint {
    uint32_t low = 0;
    uint64_t high = 0;  // 48 bits

    friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
  };

  RecentIds(const HashKey& key, uint64_t window_ms) : key_(key), window_ms_(window_ms) {}
  RecentIds clone() const;

  const HashKey& key() const { return key_; }
  // An id that was added at a date is known before that date plus the window.
  uint64_t window_ms() const { return window_ms_; }
  // What is not known at `now` stays unknown in a longer window: it may have been forgotten.
  void set_window(uint64_t ms, UnixMs now);
  // Ids from before that date are not known, whatever the window says.
  UnixMs known_from() const { return known_from_; }
  void set_known_from(UnixMs date) { known_from_ = std::max(known_from_, date); }

  Fingerprint fingerprint(ByteView id) const;
  // What was answered to this id; nothing if it is not known at `now`. O(1)
  std::optional<Answer> find(const Fingerprint& id, UnixMs now) const;
  // O(1), amortised. Forgets a few that are too old. REQUIRES: !find(id, now); `now` is not before the last one's.
  void add(const Fingerprint& id, const Answer& answer, UnixMs now);
  // Forgets ids that are too old, the oldest first, at most this many. Returns how many.
  size_t expire(UnixMs now, size_t most);
  // When expire() will next find something.
  std::optional<UnixMs> next_expiry() const;

  // How many there are, those among them that are too old and not forgotten yet.
  size_t size() const { return index_.size(); }
  // When the last one was added; 0 if there is none.
  UnixMs last_date() const { return last_date_; }
  // Calls visit(date, fingerprint, answer) for all that are known at `now`, oldest first.
  template <class Visit>
  void each(UnixMs now, Visit visit) const {
    for (const Chunk& chunk : chunks_) {
      const char* const end = chunk.bytes.data() + chunk.bytes.size();
      for (const char* at = chunk.bytes.data() + chunk.begin; at != end;) {
        const Record record = read(chunk, at);
        if (is_known(record.date, now)) visit(record.date, record.id, record.answer);
      }
    }
  }

  // Frees a part of what it holds; false once there is no more. REQUIRES: nothing but more of this, and its
  // destruction, follows.
  bool free_some();

  // With itself.
  size_t memory() const;
  // Proves the invariants; for tests. Returns what is broken, or nullptr.
  const char* check() const;

 private:
  static constexpr uint32_t kChunkSize = 4096;
  // Beyond that, 2 GiB, the oldest are forgotten early: positions have 32 bits.
  static constexpr size_t kMostChunks = (size_t{1} << 31) / kChunkSize;

  struct Chunk {
    UnixMs base;
    Buffer bytes;
    uint32_t begin = 0;  // what is before it has been forgotten
  };
  struct Record {
    UnixMs date;
    Fingerprint id;
    Answer answer;
  };

  bool is_known(UnixMs date, UnixMs now) const {
    return date >= known_from_ && (now < date || now - date < window_ms_);
  }
  // Moves `at` behind the record.
  static Record read(const Chunk& chunk, const char*& at);
  Record read_at(uint32_t position) const;
  UnixMs front_date() const { return front_date_; }
  void forget_front();
  void make_room(size_t size, UnixMs now);

  HashKey key_;
  uint64_t window_ms_;
  UnixMs known_from_;  // those before were too old when the window changed
  UnixMs front_date_;  // of the oldest, if there is one
  UnixMs last_date_;
  std::deque<Chunk> chunks_;
  uint32_t first_chunk_ = 0;  // the number of chunks_.front(), which counts up and wraps around
  // Of the chunk's number * kChunkSize + the place in it. Most ids that are looked for are new.
  HashIndex<uint32_t, BucketFilter> index_;
};

}  // namespace millrace
