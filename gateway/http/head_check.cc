#include "gateway/http/head_check.h"

#include "gateway/http/request.h"

namespace millrace::gateway {
namespace {

struct Seen {
  int lengths = 0;
  int encodings = 0;
  int hosts = 0;
};

bool is_token(std::string_view name) {
  constexpr std::string_view kSigns = "!#$%&'*+-.^_`|~";
  for (const char c : name) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!is_letter && kSigns.find(c) == kSigns.npos) return false;
  }
  return !name.empty();
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 18 && text.find_first_not_of("0123456789") == text.npos;
}

std::string_view without_blanks(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::string_view wrong_with_header(std::string_view line, Seen& seen) {
  if (line.front() == ' ' || line.front() == '\t') return "a header that goes on in the next line";
  const size_t colon = line.find(':');
  if (colon == line.npos || !is_token(line.substr(0, colon))) return "a header without a proper name";
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = without_blanks(line.substr(colon + 1));
  for (const char c : value) {
    if (static_cast<unsigned char>(c) < 0x20 && c != '\t') return "a control character in a header";
  }
  if (same_letters(name, "content-length")) {
    if (!is_number(value)) return "a Content-Length that is no number";
    if (++seen.lengths > 1) return "two lengths";
  }
  if (same_letters(name, "transfer-encoding")) {
    if (!same_letters(value, "chunked")) return "a Transfer-Encoding other than chunked";
    if (++seen.encodings > 1) return "two encodings";
  }
  if (same_letters(name, "host") && ++seen.hosts > 1) return "two hosts";
  if (seen.lengths > 0 && seen.encodings > 0) return "a length and chunks";
  return {};
}

}  // namespace

std::string_view wrong_with_head(std::string_view head) {
  Seen seen;
  const bool is_http_1_0 = head.substr(0, head.find('\r')).ends_with(" HTTP/1.0");
  for (bool is_first = true;; is_first = false) {
    // A separate search for each of the two bytes: one search for both would examine the text byte by byte.
    const size_t end = head.find('\r');
    const std::string_view line = head.substr(0, end);
    if (end == head.npos || head.substr(end, 2) != "\r\n" || line.find('\n') != line.npos) {
      return "a line that does not end with CR LF";
    }
    head.remove_prefix(end + 2);
    if (line.empty()) break;
    if (line.find('\0') != line.npos) return "a NUL";
    if (is_first) continue;
    if (const auto wrong = wrong_with_header(line, seen); !wrong.empty()) return wrong;
  }
  if (is_http_1_0 && seen.encodings > 0) return "chunks in HTTP/1.0";
  if (!is_http_1_0 && seen.hosts == 0) return "no Host";
  return {};
}

}  // namespace millrace::gateway
