#include "client/export/key_reader.h"

#include <algorithm>
#include <vector>

#include "client/log/frame_reader.h"

namespace millrace::client {
namespace {

constexpr const char* kMessages = "10000";
// A frame, and an answer with publications, has about so many bytes at most; one message may have more.
constexpr const char* kBytes = "4194304";
constexpr const char* kFields = "500";

}  // namespace

// An error of the server is an error here.
Result<Reply> KeyReader::ask(Words words) {
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
  const auto head = ask({"TREAD", key, "1", "0", "FRAMED"});
  if (!head) return std::unexpected(head.error());
  const FrameReader frame(head->text);
  if (auto wrong = frame.failure()) return std::unexpected(*wrong);
  return read_frames(key, place, frame.head().log_next);
}

Result<void> KeyReader::read_frames(const std::string& key, LogPlace& place, Offset end) {
  FrameReader frame{std::string_view()};
  while (place.next < end) {
    const std::string from =
        (place.epoch ? std::to_string(place.epoch->value()) + "." : "") + std::to_string(place.next.value());
    const auto reply = ask({"TREAD", key, from, kMessages, "FRAMED", "MAXBYTES", kBytes});
    if (!reply) return std::unexpected(reply.error());
    frame.open(reply->text);
    if (auto wrong = frame.failure()) return std::unexpected(*wrong);
    const FrameHead head = frame.head();
    for (Message message; frame.next(message) && message.offset < end;) {
      const LogRecord record{key, message.offset.value(), message.written.value(), message.tag, message.entry};
      if (auto taken = taker_.log(record); !taken) return taken;
    }
    if (auto wrong = frame.failure()) return std::unexpected(*wrong);
    place.epoch = head.epoch;
    place.next = std::min(head.end, end);
    if (head.count == 0) break;
  }
  return {};
}

Result<void> KeyReader::read_channel(const std::string& key, std::string& position) {
  for (bool has_more = true; has_more;) {
    const auto reply = ask({"CHAN.READ", key, position, "MAX", "1000", "MAXBYTES", kBytes});
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
  const auto expiry = ask({"PEXPIRETIME", key});
  if (!expiry) return std::unexpected(expiry.error());
  std::string cursor = "0";
  do {
    const auto page = ask({"HSCAN", key, cursor, "COUNT", kFields});
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
