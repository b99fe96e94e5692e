#include "client/copy/key_copier.h"

#include <algorithm>
#include <utility>

#include "client/copy/key_size.h"
#include "client/log/frame_reader.h"

namespace millrace::client {
namespace {

constexpr int kMostAttempts = 5;
// The size of a frame's messages when they are unpacked. The other server accepts at most 64 MiB.
constexpr const char* kFrameMessages = "10000";
constexpr const char* kFrameBytes = "4194304";
constexpr const char* kHashFields = "500";
// A large payload takes long to make and to load.
constexpr Milliseconds kPatience{60'000};

ConnectionOptions patient(ConnectionOptions server) {
  server.answer_timeout = std::max(server.answer_timeout, kPatience);
  return server;
}

}  // namespace

KeyCopier::KeyCopier(const ConnectionOptions& from, const ConnectionOptions& to, CopyOptions options)
    : from_(patient(from)), to_(patient(to)), options_(options) {}

// An error of the server is an error here.
Result<Reply> KeyCopier::ask(Side side, Words words) {
  auto reply = (side == Side::From ? from_ : to_).call(words);
  if (!reply || !reply->is_error()) return reply;
  const std::string where = side == Side::From ? "" : "the other server: ";
  return fail(ErrorCode::BadInput, where + std::string(words[0]) + ": " + reply->text);
}

Result<CopiedKey> KeyCopier::copy(const std::string& key, const std::string& type) {
  const auto there = is_there_already(key, type);
  if (!there) return std::unexpected(there.error());
  if (*there) return CopiedKey{CopiedKey::How::ThereAlready};
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    auto copied = copy_once(key, type);
    const auto same = copied ? is_same(key, type, *copied) : Result<bool>(std::unexpected(copied.error()));
    if (same && *same) return copied;
    // A partial copy must not be mistaken for a complete one.
    const auto removed = ask(Side::To, {"UNLINK", key});
    if (!same) return std::unexpected(same.error());
    if (!removed) return std::unexpected(removed.error());
  }
  return fail(ErrorCode::BadInput, "it is written to while it is copied: the counts differed each time");
}

// False: there is no such key at the destination, or it was deleted.
Result<bool> KeyCopier::is_there_already(const std::string& key, const std::string& type) {
  const auto there = ask(Side::To, {"TYPE", key});
  if (!there) return std::unexpected(there.error());
  if (there->text == "none") return false;
  if (options_.resumes && there->text == type) {
    const auto bytes = bytes_of(key, type);
    if (!bytes) return std::unexpected(bytes.error());
    const bool is_framed = type == "millr-log" && *bytes > options_.largest_payload;
    const auto same = is_same(key, type, {is_framed ? CopiedKey::How::Frames : CopiedKey::How::Payload});
    if (!same) return std::unexpected(same.error());
    if (*same) return true;
    if (!options_.replaces) {
      return fail(ErrorCode::BadInput, "it is there already, and differs; --replace overwrites it");
    }
  }
  if (!options_.replaces) return fail(ErrorCode::BadInput, "it is there already; --replace overwrites it");
  const auto removed = ask(Side::To, {"UNLINK", key});
  if (!removed) return std::unexpected(removed.error());
  return false;
}

Result<bool> KeyCopier::is_same(const std::string& key, const std::string& type, const CopiedKey& copied) {
  auto here = size_of_key(from_, key, type);
  if (!here) return std::unexpected(here.error());
  auto there = size_of_key(to_, key, type);
  if (!there) return std::unexpected(there.error());
  if (copied.how == CopiedKey::How::Frames) {
    // Messages and their bytes; schedule and groups stay behind.
    here->resize(2);
    there->resize(2);
  }
  return *here == *there;
}

Result<uint64_t> KeyCopier::bytes_of(const std::string& key, const std::string& type) {
  if (type == "millr-log") {
    const auto info = ask(Side::From, {"TINFO", key});
    if (!info) return std::unexpected(info.error());
    const Reply* bytes = field_in(*info, "bytes");
    return bytes == nullptr ? 0 : static_cast<uint64_t>(bytes->integer);
  }
  if (type != "hash") return 0;
  const auto usage = ask(Side::From, {"MEMORY", "USAGE", key});
  if (!usage) return std::unexpected(usage.error());
  return static_cast<uint64_t>(usage->integer);
}

Result<CopiedKey> KeyCopier::copy_once(const std::string& key, const std::string& type) {
  const auto bytes = bytes_of(key, type);
  if (!bytes) return std::unexpected(bytes.error());
  if (*bytes <= options_.largest_payload) return copy_payload(key);
  return type == "hash" ? copy_fields(key) : copy_frames(key);
}

Result<CopiedKey> KeyCopier::copy_payload(const std::string& key) {
  const auto payload = ask(Side::From, {"DUMP", key});
  if (!payload) return std::unexpected(payload.error());
  if (payload->is_nil()) return fail(ErrorCode::BadInput, "it is gone");
  const auto expires = ask(Side::From, {"PEXPIRETIME", key});
  if (!expires) return std::unexpected(expires.error());
  const std::string date = std::to_string(std::max<int64_t>(expires->integer, 0));
  const auto restored = ask(Side::To, {"RESTORE", key, date, payload->text, "ABSTTL"});
  if (!restored) return std::unexpected(restored.error());
  return CopiedKey{CopiedKey::How::Payload};
}

// A frame is written as it was read, without being unpacked.
Result<CopiedKey> KeyCopier::copy_frames(const std::string& key) {
  FrameReader frame{std::string_view()};
  std::string position = "1";
  std::optional<Offset> end;  // where to stop, or a busy producer would keep the copy going for ever
  for (bool has_more = true; has_more;) {
    const auto read = ask(Side::From, {"TREAD", key, position, kFrameMessages, "FRAMED", "MAXBYTES", kFrameBytes});
    if (!read) return std::unexpected(read.error());
    frame.open(read->text);
    if (auto wrong = frame.failure()) return std::unexpected(*wrong);
    const FrameHead head = frame.head();
    if (!end) end = head.log_next;
    if (head.count == 0) break;
    const auto written = ask(Side::To, {"TWRITE", key, "FRAMED", read->text});
    if (!written) return std::unexpected(written.error());
    position = std::to_string(head.epoch.value()) + "." + std::to_string(head.end.value());
    has_more = head.end < *end;
  }
  if (auto settings = copy_retention(key); !settings) return std::unexpected(settings.error());
  return CopiedKey{CopiedKey::How::Frames,
                   "in frames: its offsets and dates are new, and its groups and schedule stay"};
}

Result<void> KeyCopier::copy_retention(const std::string& key) {
  const auto limits = ask(Side::From, {"TRETAIN", key});
  if (!limits) return std::unexpected(limits.error());
  std::vector<std::string> words = {"TRETAIN", key};
  for (size_t i = 0; i + 1 < limits->items.size(); i += 2) {
    const Reply& value = limits->items[i + 1];
    words.push_back(limits->items[i].text);
    words.push_back(value.kind == Reply::Kind::Integer ? std::to_string(value.integer) : value.text);
  }
  if (words.size() == 2) return {};
  const std::vector<std::string_view> views(words.begin(), words.end());
  const auto set = ask(Side::To, views);
  if (!set) return std::unexpected(set.error());
  return {};
}

Result<CopiedKey> KeyCopier::copy_fields(const std::string& key) {
  std::string cursor = "0";
  do {
    const auto page = ask(Side::From, {"HSCAN", key, cursor, "COUNT", kHashFields});
    if (!page) return std::unexpected(page.error());
    if (page->items.size() != 2) return fail(ErrorCode::Protocol, "HSCAN was not answered");
    cursor = page->items[0].text;
    std::vector<std::string_view> words = {"HSET", key};
    for (const Reply& word : page->items[1].items) words.push_back(word.text);
    if (words.size() == 2) continue;
    if (auto set = ask(Side::To, words); !set) return std::unexpected(set.error());
  } while (cursor != "0");
  const auto expires = ask(Side::From, {"PEXPIRETIME", key});
  if (!expires) return std::unexpected(expires.error());
  if (expires->integer > 0) {
    const auto set = ask(Side::To, {"PEXPIREAT", key, std::to_string(expires->integer)});
    if (!set) return std::unexpected(set.error());
  }
  return CopiedKey{CopiedKey::How::Parts};
}

}  // namespace millrace::client
