// Commands as lines, shared by the targets of all parsers: the first line is the command's name, the other lines are
// the words after the key.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fuzz/allocation_meter.h"
#include "fuzz/require.h"
#include "module/words/argument_reader.h"

namespace millrace::fuzz {

using module::Words;

struct Command {
  ByteView name;
  void (*parse_and_check)(Words words);
};

// Checks that a view in a request points to one of the words.
inline bool is_one_of(ByteView part, Words words) {
  return std::ranges::any_of(words, [&](ByteView w) { return w.data() == part.data() && w.size() == part.size(); });
}

inline void check_error(const Error& error) {
  REQUIRE(error.code == ErrorCode::Syntax || error.code == ErrorCode::Range || error.code == ErrorCode::BadPosition);
  // An error must be one printable line, even if it quotes input: a line break would end the reply early.
  REQUIRE(!error.text.empty() && error.text.size() < 300);
  REQUIRE(std::ranges::all_of(error.text, [](char c) { return c >= ' ' && c <= '~'; }));
}

// Parses within bounds; `check` gets the request if there is one.
template <class Parser, class Check>
void parse_bounded(Parser parse, Words words, Check check) {
  const uint64_t before = allocated_bytes();
  const auto request = parse(words);
  REQUIRE(allocated_bytes() - before <= 4096 + 4 * sizeof(ByteView) * words.size());
  request ? check(*request) : check_error(request.error());
}

inline std::vector<ByteView> lines_of(ByteView text) {
  std::vector<ByteView> lines;
  for (size_t end; (end = text.find('\n')) != ByteView::npos; text.remove_prefix(end + 1)) {
    lines.push_back(text.substr(0, end));
  }
  if (!text.empty()) lines.push_back(text);
  return lines;
}

inline void run(std::span<const Command> commands, const uint8_t* bytes, size_t size) {
  const auto lines = lines_of({reinterpret_cast<const char*>(bytes), size});
  if (lines.empty()) return;
  for (const Command& command : commands) {
    if (command.name == lines.front()) command.parse_and_check(Words(lines).subspan(1));
  }
}

}  // namespace millrace::fuzz
