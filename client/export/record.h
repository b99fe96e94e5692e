// What an export consists of: messages of logs, publications of channels, hashes. All views are borrowed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace millrace::client {

struct LogRecord {
  std::string_view key;
  uint64_t offset;
  uint64_t time;  // when it was written, Unix milliseconds
  std::string_view tag;
  std::string_view entry;
};

struct ChannelRecord {
  std::string_view key;
  std::string_view position;
  std::string_view id;
  std::string_view content;
};

using HashField = std::pair<std::string_view, std::string_view>;

// A large hash becomes several records.
struct HashRecord {
  std::string_view key;
  std::span<const HashField> fields;
  std::optional<int64_t> expires = {};  // Unix milliseconds
};

}  // namespace millrace::client
