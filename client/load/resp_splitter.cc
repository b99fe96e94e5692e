#include "client/load/resp_splitter.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace millrace::client {
namespace {

// The server's limits: words in a command, bytes in a word, bytes in a line.
constexpr int64_t kMostWords = INT32_MAX;
constexpr int64_t kMostBytes = int64_t{512} << 20;
constexpr size_t kLongestHeader = 32;
constexpr size_t kLongestInline = 64 << 10;

// Parses "<mark><number>\r\n".
struct Header {
  enum class Kind { Number, Incomplete, Wrong } kind;
  int64_t number = 0;
};

Header take_header(std::string_view window, size_t& at, char mark) {
  if (at >= window.size()) return {Header::Kind::Incomplete};
  if (window[at] != mark) return {Header::Kind::Wrong};
  const std::string_view rest = window.substr(at + 1, kLongestHeader);
  const size_t end = rest.find('\r');
  if (end == rest.npos || end + 1 == rest.size()) {
    return {rest.size() == kLongestHeader ? Header::Kind::Wrong : Header::Kind::Incomplete};
  }
  int64_t number = 0;
  const auto [stop, problem] = std::from_chars(rest.data(), rest.data() + end, number);
  if (problem != std::errc() || stop != rest.data() + end || rest[end + 1] != '\n') return {Header::Kind::Wrong};
  at += end + 3;
  return {Header::Kind::Number, number};
}

}  // namespace

Split RespSplitter::split(std::string_view window, bool is_all) {
  if (window.empty()) return Split::needs_more();
  words_.clear();
  is_whole_ = true;
  is_inline_ = window.front() != '*';
  if (is_inline_) return split_inline(window, is_all);

  const auto incomplete = [&] { return is_all ? Split::lost("the input ends within a command") : Split::needs_more(); };
  size_t at = 0;
  const Header count = take_header(window, at, '*');
  if (count.kind == Header::Kind::Incomplete) return incomplete();
  if (count.kind == Header::Kind::Wrong || count.number > kMostWords) {
    return Split::lost("'*' with no number of words and CR LF behind it");
  }
  if (count.number <= 0) return Split::nothing(at);
  for (int64_t i = 1; i <= count.number; ++i) {
    const Header size = take_header(window, at, '$');
    if (size.kind == Header::Kind::Incomplete) return incomplete();
    const bool is_size = size.kind == Header::Kind::Number && size.number >= 0 && size.number <= kMostBytes;
    if (!is_size) return Split::lost("word " + std::to_string(i) + " does not begin with '$', its length and CR LF");
    const size_t length = static_cast<size_t>(size.number);
    const std::string_view rest = window.substr(at);
    if (is_all && i == count.number && (rest.size() == length || (rest.size() == length + 1 && rest.back() == '\r'))) {
      is_whole_ = false;
      words_.push_back(rest.substr(0, length));
      return Split::record(window.size());
    }
    if (rest.size() < length + 2) return incomplete();
    if (window[at + length] != '\r' || window[at + length + 1] != '\n') {
      return Split::lost("word " + std::to_string(i) + " is not as long as its '$" + std::to_string(length) + "' says");
    }
    words_.push_back(window.substr(at, length));
    at += length + 2;
  }
  return Split::record(at);
}

Split RespSplitter::split_inline(std::string_view window, bool is_all) {
  const size_t end = std::min(window.find('\n'), window.size());
  if (end > kLongestInline) return Split::lost("neither the Redis protocol nor a line of at most 64 KiB");
  return typed_.split(window, is_all);
}

}  // namespace millrace::client
