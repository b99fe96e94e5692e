#include "module/commands/log/log_readers.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "module/abi/blocked_client.h"
#include "module/abi/recorded_reply.h"
#include "module/commands/log/group_readers.h"
#include "module/commands/log/message_writing.h"
#include "module/host/counters.h"
#include "module/host/log_type.h"
#include "module/host/owed_answers.h"

namespace millrace::module {

namespace {

class WaitingReader;

// Readers of one key in the order in which a growing log reaches them.
using ReaderLine = std::set<std::pair<Offset, WaitingReader*>>;
std::unordered_map<DatabaseKey, ReaderLine> reader_lines;

class WaitingReader final : public abi::BlockedClient {
 public:
  WaitingReader(DatabaseKey key, Offset from, const ReadRequest& request)
      : key_(std::move(key)), from_(from), request_(request), arrival_(next_arrival_++) {
    // The words of the command are gone by the time the answer is written.
    tags_.assign(request.tags.begin(), request.tags.end());
    request_.tags.assign(tags_.begin(), tags_.end());
    reader_lines[key_].emplace(waits_for_, this);
    ++counters.log.blocked_readers;
  }

  uint64_t arrival() const { return arrival_; }

  // Answers if the log has what it waits for; else it waits on, and by tag only for
  // messages it has not looked at yet.
  void serve_from(const Log& log) {
    if (!has_something_to_read(&log, waits_for_, request_)) return wait_for(log.next());
    left();
    write_messages(answer_, &log, from_, request_);
    ++counters.log.woken_readers;
    serve();
  }

  // Takes nothing for seen any longer. What was the next message of the log that has gone
  // is now the first of the one that will come.
  void start_afresh() {
    from_ = request_.start.in(nullptr);
    if (waits_for_ != from_) wait_for(from_);
  }

 private:
  void answer(abi::Reply reply) override { answer_.send(reply); }

  void answer_timeout(abi::Reply reply) override { write_nothing_came(reply, key_, request_.with_info); }

  void key_is_ready(abi::Context context) override { serve_owed_without_effects(context); }

  void left() override {
    leave_line();
    --counters.log.blocked_readers;
  }

  // REQUIRES: in line.
  void wait_for(Offset offset) {
    ReaderLine& line = reader_lines.find(key_)->second;
    auto place = line.extract({waits_for_, this});
    place.value().first = waits_for_ = offset;
    line.insert(std::move(place));
  }

  void leave_line() {
    const auto line = reader_lines.find(key_);
    line->second.erase({waits_for_, this});
    if (line->second.empty()) reader_lines.erase(line);
  }

  static inline uint64_t next_arrival_ = 0;

  DatabaseKey key_;
  Offset from_;
  Offset waits_for_ = from_;
  ReadRequest request_;
  std::vector<std::string> tags_;
  uint64_t arrival_;
  abi::RecordedReply answer_;
};

void serve_line(const DatabaseKey& key, const Log& log) {
  const auto line = reader_lines.find(key);
  if (line == reader_lines.end()) return;
  std::vector<WaitingReader*> reached;
  for (const auto& [waits_for, reader] : line->second) {
    if (waits_for >= log.next()) break;
    reached.push_back(reader);
  }
  std::ranges::sort(reached, {}, &WaitingReader::arrival);
  for (WaitingReader* reader : reached) reader->serve_from(log);
}

void serve_key(abi::Context context, const DatabaseKey& place, abi::StringRef name, bool with_groups) {
  const auto key = LogKey::for_upkeep(context, name);
  if (!key || key->get() == nullptr) return;
  serve_line(place, *key->get());
  if (with_groups) serve_group_readers(context, place, name, *key->get());
}

bool anybody_waits_for(const DatabaseKey& place) {
  return reader_lines.contains(place) || group_readers_wait_for(place);
}

std::vector<DatabaseKey> keys_with_readers() {
  std::vector<DatabaseKey> keys = keys_with_group_readers();
  for (const auto& [place, line] : reader_lines) keys.push_back(place);
  return keys;
}

void start_line_afresh(const DatabaseKey& place) {
  const auto line = reader_lines.find(place);
  if (line == reader_lines.end()) return;
  // Over a copy: each may change its place.
  for (const auto& [waits_for, reader] : ReaderLine(line->second)) reader->start_afresh();
}

}  // namespace

constinit const Waiters kLogWaiters{
    .wait_for = anybody_waits_for,
    .keys = keys_with_readers,
    .serve = [](abi::Context context, const DatabaseKey& place,
                abi::StringRef name) { serve_key(context, place, name, true); },
    // Reading without a group changes nothing.
    .serve_without_effects = [](abi::Context context, const DatabaseKey& place,
                                abi::StringRef name) { serve_key(context, place, name, false); },
    .start_afresh = start_line_afresh,
};

void wait_for_messages(abi::Context context, abi::StringRef key, Offset from, const ReadRequest& request) {
  DatabaseKey place{context.database(), std::string(key.view())};
  abi::block(context, key, *request.block_ms, std::make_unique<WaitingReader>(std::move(place), from, request));
}

void serve_readers(abi::Context context, abi::StringRef key, Log& log) {
  if (reader_lines.empty() && !group_readers_wait()) [[likely]] {
    return;
  }
  const DatabaseKey place{context.database(), std::string(key.view())};
  if (!anybody_waits_for(place)) return;
  if (context.in_transaction()) {
    context.wake_when_over(key);
    return serve_soon(place);
  }
  serve_line(place, log);
  serve_group_readers(context, place, key, log);
}

}  // namespace millrace::module
