// The ids of requests that were carried out within a window of time, each with its answer. A request that is sent again
// gets the same answer and is not carried out a second time.
//
// For each id, a fingerprint of 80 bits is stored, computed with a key that should be random. Two ids get the same
// fingerprint once in 10^11 windows of ten million ids. An id costs 25 to 40 bytes, whatever its length.
//
// Ids are stored in chunks in the order of arrival, which is the order of their dates. An index maps a fingerprint to
// its place in the chunks. So the oldest ids are dropped from the front without a search:
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
  // An id that was added at a date is known until that date plus the window.
  uint64_t window_ms() const { return window_ms_; }
  // A longer window does not bring back ids that are unknown at `now`: they may have been dropped already.
  void set_window(uint64_t ms, UnixMs now);
  // Ids from before that date are not known, whatever the window says.
  UnixMs known_from() const { return known_from_; }
  void set_known_from(UnixMs date) { known_from_ = std::max(known_from_, date); }

  Fingerprint fingerprint(ByteView id) const;
  // The answer for this id; nullopt if the id is not known at `now`. O(1)
  std::optional<Answer> find(const Fingerprint& id, UnixMs now) const;
  // O(1), amortised. Also drops a few ids that are too old. REQUIRES: !find(id, now); `now` is not before last_date()
  void add(const Fingerprint& id, const Answer& answer, UnixMs now);
  // Drops ids that are too old, the oldest first, at most `most`. Returns how many.
  size_t expire(UnixMs now, size_t most);
  // When expire() will next have ids to drop.
  std::optional<UnixMs> next_expiry() const;

  // The number of ids, including those that are too old and not dropped yet.
  size_t size() const { return index_.size(); }
  // When the last id was added; 0 if there is none.
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

  // Frees a part of its memory; false once all is freed. REQUIRES: afterwards only free_some() and the destructor are
  // called.
  bool free_some();

  // Bytes of memory, the object included.
  size_t memory() const;
  // Proves the invariants; for tests. Returns what is broken, or nullptr.
  const char* check() const;

 private:
  static constexpr uint32_t kChunkSize = 4096;
  // With more than this, 2 GiB, the oldest ids are dropped early: positions have 32 bits.
  static constexpr size_t kMostChunks = (size_t{1} << 31) / kChunkSize;

  struct Chunk {
    UnixMs base;
    Buffer bytes;
    uint32_t begin = 0;  // ids before it have been dropped
  };
  struct Record {
    UnixMs date;
    Fingerprint id;
    Answer answer;
  };

  bool is_known(UnixMs date, UnixMs now) const {
    return date >= known_from_ && (now < date || now - date < window_ms_);
  }
  // Moves `at` to the byte after the record.
  static Record read(const Chunk& chunk, const char*& at);
  Record read_at(uint32_t position) const;
  UnixMs front_date() const { return front_date_; }
  void forget_front();
  void make_room(size_t size, UnixMs now);

  HashKey key_;
  uint64_t window_ms_;
  UnixMs known_from_;  // earlier ids were too old when the window changed
  UnixMs front_date_;  // date of the oldest id, if there is one
  UnixMs last_date_;
  std::deque<Chunk> chunks_;
  uint32_t first_chunk_ = 0;  // the number of chunks_.front(), which counts up and wraps around
  // Values: chunk number * kChunkSize + the place in the chunk. It has a filter because most ids that are looked up are
  // new.
  HashIndex<uint32_t, BucketFilter> index_;
};

}  // namespace millrace
