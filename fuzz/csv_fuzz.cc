// Tables as text: parsed as a whole and in windows of any size, they have the same records.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "client/load/csv_splitter.h"
#include "fuzz/require.h"

namespace {

using namespace millrace::client;

struct Piece {
  Split::Kind kind;
  size_t size;
  std::vector<std::string> fields;

  bool operator==(const Piece&) const = default;
};

std::vector<Piece> pieces_of(CsvSplitter::Style style, std::string_view text, size_t window) {
  std::vector<Piece> pieces;
  CsvSplitter splitter(style);
  size_t shown = window;
  while (!text.empty()) {
    const bool is_all = shown >= text.size();
    const Split split = splitter.split(text.substr(0, shown), is_all);
    if (split.kind == Split::Kind::NeedsMore) {
      REQUIRE(!is_all);
      shown += window;
      continue;
    }
    REQUIRE(split.kind != Split::Kind::Lost);
    REQUIRE(split.size >= 1 && split.size <= text.size());
    Piece piece{split.kind, split.size, {}};
    if (split.kind == Split::Kind::Record) piece.fields.assign(splitter.fields().begin(), splitter.fields().end());
    pieces.push_back(std::move(piece));
    text.remove_prefix(split.size);
    shown = window;
  }
  return pieces;
}

std::string quoted(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) {
    line += line.empty() ? "\"" : ",\"";
    for (const char c : field) line += c == '"' ? "\"\"" : std::string(1, c);
    line += '"';
  }
  return line + "\r\n";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  for (const CsvSplitter::Style style : {CsvSplitter::kCsv, CsvSplitter::kTsv}) {
    const auto whole = pieces_of(style, text, size + 1);
    for (const size_t window : {7u, 64u}) REQUIRE(pieces_of(style, text, window) == whole);
  }
  // Fields that are written with quotes are read back unchanged.
  for (const Piece& piece : pieces_of(CsvSplitter::kCsv, text, size + 1)) {
    if (piece.kind != Split::Kind::Record) continue;
    const auto again = pieces_of(CsvSplitter::kCsv, quoted(piece.fields), 1 << 20);
    REQUIRE(again.size() == 1 && again.front().fields == piece.fields);
  }
  return 0;
}
