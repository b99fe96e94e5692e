#include "engine/base/recent_ids.h"

#include <algorithm>
#include <cstring>

#include "engine/base/varint.h"

namespace millrace {

namespace {

// How many old ids are dropped with each new one: more than one, so that the ids of a busy time are dropped soon.
constexpr size_t kForgottenAtOnce = 4;
constexpr uint32_t kSmallestChunk = 64;
constexpr uint64_t kHighBits = (uint64_t{1} << 48) - 1;

char* put_fingerprint(char* to, const RecentIds::Fingerprint& id) {
  std::memcpy(to, &id.low, 4);
  std::memcpy(to + 4, &id.high, 6);
  return to + RecentIds::kFingerprintSize;
}

RecentIds::Fingerprint get_fingerprint(const char* from) {
  RecentIds::Fingerprint id;
  std::memcpy(&id.low, from, 4);
  std::memcpy(&id.high, from + 4, 6);
  return id;
}

}  // namespace

RecentIds RecentIds::clone() const {
  RecentIds copy(key_, window_ms_);
  copy.known_from_ = known_from_;
  copy.front_date_ = front_date_;
  copy.last_date_ = last_date_;
  for (const Chunk& chunk : chunks_) copy.chunks_.push_back({chunk.base, chunk.bytes.clone(), chunk.begin});
  copy.first_chunk_ = first_chunk_;
  copy.index_ = index_.clone();
  return copy;
}

void RecentIds::set_window(uint64_t ms, UnixMs now) {
  if (now.value() >= window_ms_) known_from_ = std::max(known_from_, UnixMs(now.value() - window_ms_ + 1));
  window_ms_ = ms;
}

RecentIds::Fingerprint RecentIds::fingerprint(ByteView id) const {
  const auto print = keyed_fingerprint(key_, id);
  return {static_cast<uint32_t>(print[0]), print[1] & kHighBits};
}

RecentIds::Record RecentIds::read(const Chunk& chunk, const char*& at) {
  Record record;
  record.id = get_fingerprint(at);
  uint64_t since, number, date;
  at = get_varint_unchecked(at + kFingerprintSize, since);
  record.date = chunk.base + since;
  at = get_varint_unchecked(at, number);
  record.answer.number = number >> 1;
  if ((number & 1) != 0) {
    at = get_varint_unchecked(at, date);
    record.answer.date = UnixMs(date);
  }
  return record;
}

RecentIds::Record RecentIds::read_at(uint32_t position) const {
  const uint32_t number = (position / kChunkSize - first_chunk_) % (UINT32_MAX / kChunkSize + 1);
  const Chunk& chunk = chunks_[number];
  const char* at = chunk.bytes.data() + position % kChunkSize;
  return read(chunk, at);
}

std::optional<RecentIds::Answer> RecentIds::find(const Fingerprint& id, UnixMs now) const {
  std::optional<Answer> answer;
  index_.find(id.low, [&](uint32_t position) {
    const Record record = read_at(position);
    if (record.id != id || !is_known(record.date, now)) return false;
    answer = record.answer;
    return true;
  });
  return answer;
}

void RecentIds::make_room(size_t size, UnixMs now) {
  if (!chunks_.empty()) {
    Buffer& bytes = chunks_.back().bytes;
    if (bytes.size() + size <= bytes.capacity()) return;
    const auto needed = bytes.size() + static_cast<uint32_t>(size);
    if (needed <= kChunkSize) return bytes.reserve(std::clamp(bytes.capacity() * 2, needed, kChunkSize));
    while (chunks_.size() >= kMostChunks) forget_front();
  }
  // A log of few ids has a small chunk.
  Chunk chunk{now, {}, 0};
  chunk.bytes.reserve(chunks_.empty() ? kSmallestChunk : kChunkSize);
  chunks_.push_back(std::move(chunk));
}

void RecentIds::add(const Fingerprint& id, const Answer& answer, UnixMs now) {
  expire(now, kForgottenAtOnce);
  constexpr size_t kLongest = kFingerprintSize + 3 * kMaxVarintBytes;
  if (chunks_.empty()) front_date_ = now;
  make_room(kLongest, now);
  Chunk& chunk = chunks_.back();
  const uint32_t place = chunk.bytes.size();
  char* const record = chunk.bytes.extend(kLongest);
  char* end = put_varint(put_fingerprint(record, id), now - chunk.base);
  end = put_varint(end, answer.number << 1 | (answer.date ? 1 : 0));
  if (answer.date) end = put_varint(end, answer.date->value());
  chunk.bytes.cut(place + static_cast<uint32_t>(end - record));
  const auto number = first_chunk_ + static_cast<uint32_t>(chunks_.size()) - 1;
  const uint32_t position = number * kChunkSize + place;
  index_.insert(id.low, position);
  last_date_ = now;
}

void RecentIds::forget_front() {
  Chunk& chunk = chunks_.front();
  const char* at = chunk.bytes.data() + chunk.begin;
  const Record record = read(chunk, at);
  index_.erase(record.id.low, first_chunk_ * kChunkSize + chunk.begin);
  index_.shrink(index_.size(), [](uint32_t) { return true; });
  chunk.begin = static_cast<uint32_t>(at - chunk.bytes.data());
  if (chunk.begin == chunk.bytes.size()) {
    chunks_.pop_front();
    ++first_chunk_;
  }
  if (chunks_.empty()) return;
  const Chunk& front = chunks_.front();
  at = front.bytes.data() + front.begin;
  front_date_ = read(front, at).date;
}

size_t RecentIds::expire(UnixMs now, size_t most) {
  size_t gone = 0;
  for (; gone < most && !chunks_.empty() && !is_known(front_date(), now); ++gone) forget_front();
  return gone;
}

std::optional<UnixMs> RecentIds::next_expiry() const {
  if (chunks_.empty()) return std::nullopt;
  const UnixMs date = front_date();
  return date < known_from_ ? UnixMs(0) : UnixMs(std::min(date.value() + window_ms_, uint64_t{INT64_MAX}));
}

bool RecentIds::free_some() {
  constexpr size_t kChunksAtOnce = 16;
  for (size_t i = 0; i < kChunksAtOnce && !chunks_.empty(); ++i) chunks_.pop_back();
  return index_.free_some(kChunksAtOnce * 8) || !chunks_.empty();
}

size_t RecentIds::memory() const {
  // A deque keeps its first node, of 512 bytes, when it is empty.
  size_t bytes = sizeof(*this) + 64 + std::max<size_t>(512, chunks_.size() * sizeof(Chunk)) + index_.memory();
  for (const Chunk& chunk : chunks_) bytes += chunk.bytes.capacity();
  return bytes;
}

const char* RecentIds::check() const {
  if (const char* broken = index_.check()) return broken;
  size_t count = 0;
  UnixMs before;
  for (size_t i = 0; i < chunks_.size(); ++i) {
    const Chunk& chunk = chunks_[i];
    if (chunk.begin >= chunk.bytes.size()) return "a chunk without ids";
    const char* const end = chunk.bytes.data() + chunk.bytes.size();
    for (const char* at = chunk.bytes.data() + chunk.begin; at != end; ++count) {
      const auto place = static_cast<uint32_t>(at - chunk.bytes.data());
      const Record record = read(chunk, at);
      if (record.date < before) return "ids out of order";
      if (count == 0 && record.date != front_date_) return "the first date is not that of the oldest id";
      before = record.date;
      const uint32_t position = (first_chunk_ + static_cast<uint32_t>(i)) * kChunkSize + place;
      if (index_.find(record.id.low, [&](uint32_t one) { return one == position; }) == nullptr) {
        return "an id that is not in the index";
      }
    }
  }
  if (count != 0 && before != last_date_) return "the last date is not that of the last id";
  return count == index_.size() ? nullptr : "the index has ids that are gone";
}

}  // namespace millrace
