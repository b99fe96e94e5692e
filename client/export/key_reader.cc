#include "client/export/key_reader.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "client/log/frame_reader.h"

namespace millrace::client {
namespace {

constexpr const char* kMessages = "10000";
// The approximate limit in bytes for a frame and for an answer with publications; a single message may have more.
constexpr const char* kBytes = "4194304";
constexpr const char* kFields = "500";
// The limit for the first answer of a key that is read together with others: all of these are in memory at once.
constexpr const char* kFirstBytes = "65536";
constexpr int64_t kSmallHash = 64 << 10;

using Question = std::vector<std::string_view>;

Question first_frame(std::string_view key, std::string_view from) {
  return {"TREAD", key, from, kMessages, "FRAMED", "MAXBYTES", kFirstBytes};
}
Question first_publications(std::string_view key) {
  return {"CHAN.READ", key, "-", "MAX", "1000", "MAXBYTES", kFirstBytes};
}
Question expiry_of(std::string_view key) { return {"PEXPIRETIME", key}; }
Question fields_of(std::string_view key, std::string_view cursor) { return {"HSCAN", key, cursor, "COUNT", kFields}; }

}  // namespace

Result<void> KeyReader::prefetch(std::span<const FoundKey> keys, Offset from) {
  prefetched_.clear();
  std::vector<Question> sizes, questions;
  const std::string begin = std::to_string(from.value());
  for (const FoundKey& key : keys) {
    if (key.type == "hash") sizes.push_back({"MEMORY", "USAGE", key.name});
    if (key.type == "millr-log") questions.push_back(first_frame(key.name, begin));
    if (key.type == "millr-chn") questions.push_back(first_publications(key.name));
  }
  const auto bytes = server_.call_all(sizes);
  if (!bytes) return std::unexpected(bytes.error());
  for (size_t i = 0; i < sizes.size(); ++i) {
    if ((*bytes)[i].kind != Reply::Kind::Integer || (*bytes)[i].integer > kSmallHash) continue;
    questions.push_back(expiry_of(sizes[i][2]));
    questions.push_back(fields_of(sizes[i][2], "0"));
  }
  auto answers = server_.call_all(questions);
  if (!answers) return std::unexpected(answers.error());
  for (size_t i = 0; i < questions.size(); ++i) {
    // It may belong to another node of a cluster: then it is requested again.
    if ((*answers)[i].is_error()) continue;
    prefetched_.emplace(std::vector<std::string>(questions[i].begin(), questions[i].end()), std::move((*answers)[i]));
  }
  return {};
}

// An error of the server is an error here.
Result<Reply> KeyReader::ask(Words words) {
  if (!prefetched_.empty()) {
    const auto found = prefetched_.find(std::vector<std::string>(words.begin(), words.end()));
    if (found != prefetched_.end()) return std::move(prefetched_.extract(found).mapped());
  }
  auto reply = server_.call(words);
  if (reply && reply->is_error()) return fail(ErrorCode::BadInput, reply->text);
  return reply;
}

Result<void> KeyReader::read_log(const std::string& key, LogPlace& place, std::optional<Milliseconds> wait) {
  if (wait) {
    const std::string from = std::to_string(place.next.value()), time = std::to_string(wait->count());
    const auto come = ask({"TREAD", key, from, "1", "SKIP", "BLOCK", time});
    if (!come) return std::unexpected(come.error());
    if (come->is_nil()) return {};
  }
  // The first frame says where the log ends. Later, a log that was deleted meanwhile is not read on.
  if (!place.epoch) return read_frames(key, place, std::nullopt);
  const auto head = ask({"TREAD", key, "1", "0", "FRAMED"});
  if (!head) return std::unexpected(head.error());
  const FrameReader frame(head->text);
  if (auto wrong = frame.failure()) return std::unexpected(*wrong);
  return read_frames(key, place, frame.head().log_next);
}

Result<void> KeyReader::read_frames(const std::string& key, LogPlace& place, std::optional<Offset> end) {
  FrameReader frame{std::string_view()};
  while (!end || place.next < *end) {
    const std::string from =
        (place.epoch ? std::to_string(place.epoch->value()) + "." : "") + std::to_string(place.next.value());
    const Question on = {"TREAD", key, from, kMessages, "FRAMED", "MAXBYTES", kBytes};
    const auto reply = ask(place.epoch ? on : first_frame(key, from));
    if (!reply) return std::unexpected(reply.error());
    frame.open(reply->text);
    if (auto wrong = frame.failure()) return std::unexpected(*wrong);
    const FrameHead head = frame.head();
    if (!end) end = head.log_next;
    for (Message message; frame.next(message) && message.offset < *end;) {
      const LogRecord record{key, message.offset.value(), message.written.value(), message.tag, message.entry};
      if (auto taken = taker_.log(record); !taken) return taken;
    }
    if (auto wrong = frame.failure()) return std::unexpected(*wrong);
    place.epoch = head.epoch;
    place.next = std::max(place.next, std::min(head.end, *end));
    if (head.count == 0) break;
  }
  return {};
}

Result<void> KeyReader::read_channel(const std::string& key, std::string& position) {
  for (bool has_more = true; has_more;) {
    const Question on = {"CHAN.READ", key, position, "MAX", "1000", "MAXBYTES", kBytes};
    const auto reply = ask(position == "-" ? first_publications(key) : on);
    if (!reply) return std::unexpected(reply.error());
    if (reply->items.size() != 4) return fail(ErrorCode::Protocol, "CHAN.READ was not answered");
    for (const Reply& one : reply->items[0].items) {
      if (one.items.size() != 3) continue;
      const ChannelRecord record{key, one.items[0].text, one.items[1].text, one.items[2].text};
      if (auto taken = taker_.channel(record); !taken) return taken;
    }
    if (reply->items[1].is_nil()) return {};
    position = reply->items[1].text;
    has_more = reply->items[2].integer == 1;
  }
  return {};
}

Result<void> KeyReader::read_hash(const std::string& key) {
  const auto expiry = ask(expiry_of(key));
  if (!expiry) return std::unexpected(expiry.error());
  std::string cursor = "0";
  do {
    const auto page = ask(fields_of(key, cursor));
    if (!page) return std::unexpected(page.error());
    if (page->items.size() != 2) return fail(ErrorCode::Protocol, "HSCAN was not answered");
    const auto& words = page->items[1].items;
    std::vector<HashField> fields;
    for (size_t i = 0; i + 1 < words.size(); i += 2) fields.emplace_back(words[i].text, words[i + 1].text);
    cursor = page->items[0].text;
    if (fields.empty()) continue;
    HashRecord record{.key = key, .fields = fields};
    if (expiry->integer > 0) record.expires = expiry->integer;
    if (auto taken = taker_.hash(record); !taken) return taken;
  } while (cursor != "0");
  return {};
}

}  // namespace millrace::client
