#include "engine/log/log_extras_codec.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "engine/base/decoder.h"
#include "engine/log/group_bytes.h"
#include "engine/log/log_codec.h"
#include "engine/log/log_requests.h"

namespace millrace {

namespace {

constexpr uint64_t kRefuse = 1;
constexpr size_t kIdsAPiece = 1000;
constexpr size_t kIdsForgottenByOneEffect = 1000;
constexpr size_t kDeletedBytesAPiece = 8 * 1024;
constexpr size_t kScheduledBytesAPiece = 64 * 1024;

void append_id(std::string& to, UnixMs date, const RecentIds::Fingerprint& id, const RecentIds::Answer& answer) {
  append_varint(to, date.value());
  char print[RecentIds::kFingerprintSize];
  std::memcpy(print, &id.low, 4);
  std::memcpy(print + 4, &id.high, 6);
  to.append(print, sizeof(print));
  append_varint(to, answer.number << 1 | (answer.date ? 1 : 0));
  if (answer.date) append_varint(to, answer.date->value());
}

struct SavedId {
  UnixMs date;
  RecentIds::Fingerprint id;
  RecentIds::Answer answer;
};

SavedId next_id(Decoder& in) {
  SavedId saved;
  saved.date = UnixMs(in.number());
  const ByteView print = in.bytes(RecentIds::kFingerprintSize);
  if (in.ok()) {
    std::memcpy(&saved.id.low, print.data(), 4);
    std::memcpy(&saved.id.high, print.data() + 4, 6);
  }
  const uint64_t number = in.number();
  saved.answer.number = number >> 1;
  if ((number & 1) != 0) saved.answer.date = UnixMs(in.number());
  return saved;
}

}  // namespace

std::string encode_more(const Log& log) {
  const Retention& keep = log.retention();
  const uint64_t number = log.extras() == nullptr ? 1 : log.extras()->schedule.next_number();
  std::string bytes;
  if (keep.ids_ms == 0 && !keep.refuse && number == 1 && log.deleted_total() == 0) return bytes;
  for (uint64_t each : {uint64_t{keep.ids_ms}, keep.refuse ? kRefuse : 0, number, log.deleted_total()}) {
    append_varint(bytes, each);
  }
  return bytes;
}

Result<void> restore_more(Log& log, ByteView bytes) {
  Decoder in(bytes);
  Retention keep = log.retention();
  const uint64_t ids_ms = in.number();
  const uint64_t flags = in.number();
  const uint64_t number = in.number();
  const uint64_t deleted = in.number();
  if (!in.finished()) return corrupt("additions to a log head of the wrong length");
  const uint64_t used = log.extras() == nullptr ? 1 : log.extras()->schedule.next_number();
  if (flags > kRefuse || ids_ms > UINT32_MAX || deleted > INT64_MAX) {
    return corrupt("additions to a log head with an impossible limit");
  }
  if (number < used || number > kMaxTicketPart + 1) return corrupt("a next ticket that is in use already");
  keep.ids_ms = static_cast<uint32_t>(ids_ms);
  keep.refuse = flags == kRefuse;
  log.set_retention(keep);
  if (number != 1 || deleted != 0) {
    log.with_extras().schedule.set_next_number(number);
    log.with_extras().deleted_total = deleted;
  }
  return {};
}

std::string encode_ids_head(const RecentIds& ids) {
  std::string bytes(reinterpret_cast<const char*>(ids.key().data()), ids.key().size());
  append_varint(bytes, ids.window_ms());
  append_varint(bytes, ids.known_from().value());
  return bytes;
}

std::string encode_id(const RecentIds& ids, UnixMs date, const RecentIds::Fingerprint& id,
                      const RecentIds::Answer& answer) {
  std::string bytes = encode_ids_head(ids);
  append_id(bytes, date, id, answer);
  return bytes;
}

void each_ids_piece(const Log& log, const PieceVisit& visit) {
  if (log.extras() == nullptr || !log.extras()->ids) return;
  const RecentIds& ids = *log.extras()->ids;
  const std::string head = encode_ids_head(ids);
  std::string piece = head;
  size_t count = 0;
  ids.each(log.clock(), [&](UnixMs date, const RecentIds::Fingerprint& id, const RecentIds::Answer& answer) {
    append_id(piece, date, id, answer);
    if (++count % kIdsAPiece != 0) return;
    visit(piece);
    piece = head;
  });
  if (piece.size() != head.size() || count == 0) visit(piece);
}

Result<void> restore_ids(Log& log, ByteView bytes) {
  Decoder in(bytes);
  HashKey key{};
  const ByteView key_bytes = in.bytes(key.size());
  if (in.ok()) std::memcpy(key.data(), key_bytes.data(), key.size());
  const uint64_t window = in.number();
  const UnixMs known_from(in.number());
  if (!in.ok() || window == 0 || window > INT64_MAX) return corrupt("ids without a key or a window");
  const RecentIds* known = log.extras() == nullptr ? nullptr : log.extras()->ids.get();
  if (known != nullptr && known->key() != key) return corrupt("ids with another key");
  std::vector<SavedId> saved;
  UnixMs before = known == nullptr ? UnixMs(0) : known->last_date();
  while (in.ok() && !in.finished()) {
    saved.push_back(next_id(in));
    const SavedId& one = saved.back();
    if (in.ok() && (one.date < before || one.date > log.clock())) return corrupt("ids out of order");
    if (one.answer.date && one.answer.date->value() > kMaxTicketPart) return corrupt("an id with an impossible answer");
    before = one.date;
  }
  if (!in.ok()) return corrupt("ids that end too early");
  auto& ids = log.with_extras().ids;
  if (!ids) ids = std::make_unique<RecentIds>(key, window);
  if (ids->window_ms() != window) ids->set_window(window, log.clock());
  ids->set_known_from(known_from);
  ids->expire(log.clock(), kIdsForgottenByOneEffect);
  for (const SavedId& one : saved) {
    if (!ids->find(one.id, one.date)) ids->add(one.id, one.answer, one.date);
  }
  return {};
}

void append_scheduled(std::string& bytes, const Schedule::Waiting& message) {
  append_varint(bytes, message.ticket.date.value());
  append_varint(bytes, message.ticket.number);
  group_bytes::append_bytes(bytes, message.tag);
  group_bytes::append_bytes(bytes, message.entry);
}

void each_schedule_piece(const Log& log, const PieceVisit& visit) {
  if (log.extras() == nullptr) return;
  std::string piece;
  log.extras()->schedule.each([&](const Schedule::Waiting& message) {
    append_scheduled(piece, message);
    if (piece.size() < kScheduledBytesAPiece) return;
    visit(piece);
    piece.clear();
  });
  if (!piece.empty()) visit(piece);
}

Result<void> restore_scheduled(Log& log, ByteView bytes) {
  Decoder in(bytes);
  std::vector<Schedule::Waiting> messages;
  while (in.ok() && !in.finished()) {
    Schedule::Waiting one;
    one.ticket.date = UnixMs(in.number());
    one.ticket.number = in.number();
    one.tag = in.bytes(in.number());
    one.entry = in.bytes(in.number());
    if (in.ok() &&
        (one.ticket.date.value() > kMaxTicketPart || one.ticket.number == 0 || one.ticket.number > kMaxTicketPart)) {
      return corrupt("a scheduled message with an impossible ticket");
    }
    if (!messages.empty() && one.ticket <= messages.back().ticket) return corrupt("scheduled messages out of order");
    messages.push_back(one);
  }
  if (!in.ok() || messages.empty()) return corrupt("scheduled messages that end too early");
  const LogExtras* extras = log.extras();
  if (extras != nullptr && std::ranges::any_of(messages, [&](const Schedule::Waiting& one) {
        return extras->schedule.find(one.ticket).has_value();
      })) {
    return corrupt("a scheduled message that exists already");
  }
  for (const Schedule::Waiting& one : messages) log.with_extras().schedule.put(one.ticket, one.tag, one.entry);
  return {};
}

// Written as words of bits, not as ranges, so that the decoded form never takes more memory than the encoded bytes.
void each_deleted_piece(const Log& log, const PieceVisit& visit) {
  if (log.extras() == nullptr) return;
  std::string piece;
  uint64_t before = 0;
  log.extras()->deleted.each_word(log.evicted_end(), [&](uint64_t index, uint64_t bits) {
    append_varint(piece, index - before);
    append_varint(piece, bits);
    before = index;
    if (piece.size() < kDeletedBytesAPiece) return;
    visit(piece);
    piece.clear();
    before = 0;
  });
  if (!piece.empty()) visit(piece);
}

Result<void> restore_deleted(Log& log, ByteView bytes) {
  Decoder in(bytes);
  std::vector<std::pair<uint64_t, uint64_t>> words;
  uint64_t index = 0;
  while (in.ok() && !in.finished()) {
    const uint64_t distance = in.number();
    const uint64_t bits = in.number();
    if (!in.ok()) break;
    if (bits == 0 || (distance == 0 && !words.empty())) return corrupt("deleted offsets out of order");
    if (distance > log.next().value() / 64 - index) return corrupt("deleted offsets beyond the log");
    index += distance;
    const auto last = static_cast<uint64_t>(std::bit_width(bits)) - 1;
    if (index * 64 + last >= log.next().value()) return corrupt("deleted offsets beyond the log");
    words.emplace_back(index, bits);
  }
  if (!in.ok() || words.empty()) return corrupt("deleted offsets that end too early");
  for (const auto& [at, bits] : words) log.with_extras().deleted.add_word(at, bits);
  return {};
}

std::string encode_deletion(const TagDeletion& deletion) {
  std::string bytes;
  append_varint(bytes, deletion.at.value());
  append_varint(bytes, deletion.end.value());
  for (const std::string& tag : deletion.tags) group_bytes::append_bytes(bytes, tag);
  return bytes;
}

Result<void> restore_deletion(Log& log, ByteView bytes) {
  Decoder in(bytes);
  TagDeletion deletion;
  deletion.at = Offset(in.number());
  deletion.end = Offset(in.number());
  while (in.ok() && !in.finished() && deletion.tags.size() < kMaxTags) {
    deletion.tags.emplace_back(in.bytes(in.number()));
  }
  if (!in.finished() || deletion.tags.empty()) return corrupt("a deletion by tag that ends too early");
  if (deletion.end > log.next() || deletion.at > deletion.end) return corrupt("a deletion by tag outside its log");
  if (log.with_extras().deletions.size() >= kMaxTagDeletions) return corrupt("too many deletions by tag");
  log.with_extras().deletions.push_back(std::move(deletion));
  return {};
}

std::string encode_effect(const Removal& removal, Offset at) {
  std::string bytes;
  append_varint(bytes, at.value());
  return bytes + encode_effect(removal);
}

Result<uint64_t> apply_tag_deletion(Log& log, ByteView bytes, BlockLimits limits) {
  LogExtras* extras = log.extras();
  if (extras == nullptr || extras->deletions.empty()) return corrupt("a deletion by tag that is not in progress");
  Decoder in(bytes);
  const Offset at(in.number());
  const ByteView ranges = in.rest();
  if (!in.ok() || at > extras->deletions.front().end) return corrupt("a deletion by tag outside its log");
  uint64_t count = 0;
  if (!ranges.empty()) {
    const auto removal = decode_removal(ranges, log.next(), "deleted messages");
    if (!removal) return std::unexpected(removal.error());
    if (!log.holds_all(*removal)) return corrupt("deleted messages that do not exist");
    log.delete_messages(*removal, limits);
    count = removal->count();
  }
  extras->deletions.front().at = at;
  if (at == extras->deletions.front().end) extras->deletions.erase(extras->deletions.begin());
  return count;
}

}  // namespace millrace
