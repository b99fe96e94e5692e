// Commands in the Redis protocol: the number of words, then each word with its length, so that words may contain any
// bytes.
#pragma once

#include <charconv>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace millrace::client {

// At most this many bytes are written for these words.
inline size_t most_protocol_bytes(std::span<const std::string_view> words) {
  constexpr size_t kHeader = 1 + 20 + 2;
  size_t most = kHeader;
  for (const std::string_view word : words) most += kHeader + word.size() + 2;
  return most;
}

// Writes the command and returns its end. REQUIRES: room for most_protocol_bytes.
inline char* write_protocol(char* to, std::span<const std::string_view> words) {
  const auto header = [&](char mark, size_t number) {
    *to++ = mark;
    to = std::to_chars(to, to + 20, number).ptr;
    *to++ = '\r';
    *to++ = '\n';
  };
  header('*', words.size());
  for (const std::string_view word : words) {
    header('$', word.size());
    std::memcpy(to, word.data(), word.size());
    to += word.size();
    *to++ = '\r';
    *to++ = '\n';
  }
  return to;
}

}  // namespace millrace::client
