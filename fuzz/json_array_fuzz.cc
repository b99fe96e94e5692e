// JSON arrays: parsed as a whole and in windows of any size, they have the same values.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "client/load/json_array_splitter.h"
#include "fuzz/require.h"

namespace {

using namespace millrace::client;

struct Found {
  std::vector<std::string> values;
  bool is_lost = false;

  bool operator==(const Found&) const = default;
};

Found values_in(std::string_view text, size_t window) {
  Found found;
  JsonArraySplitter splitter;
  for (size_t shown = window;;) {
    const bool is_all = shown >= text.size();
    std::string_view value;
    const Split split = splitter.split(text.substr(0, shown), is_all, value);
    found.is_lost = split.kind == Split::Kind::Lost;
    if (found.is_lost) REQUIRE(!split.problem.empty());
    if (found.is_lost || (split.kind == Split::Kind::NeedsMore && is_all)) return found;
    if (split.kind == Split::Kind::NeedsMore) {
      shown += window;
      continue;
    }
    REQUIRE(split.size >= 1 && split.size <= std::min(shown, text.size()));
    if (split.kind == Split::Kind::Record) {
      REQUIRE(value.size() == split.size && value.data() == text.data());
      found.values.emplace_back(value);
    }
    text.remove_prefix(split.size);
    shown = window;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const Found whole = values_in(text, size + 1);
  for (const size_t window : {1U, 2U, 7U}) REQUIRE(values_in(text, window) == whole);
  return 0;
}
