// An untrusted filter, and documents for it. The normal form of an accepted filter is parsed as the same filter.
// Compiled, and found through an index, the filter gives the same result for a document.
//
//   input := filter \0 document (\0 document)*
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/filter/filter_index.h"
#include "fuzz/allocation_meter.h"
#include "fuzz/require.h"

namespace millrace {
namespace {

constexpr HashKey kKey = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
// A regular expression may take 64 KiB several times while it is compiled, and there may be eight.
constexpr uint64_t kAtAll = 4 * 1024 * 1024;
// Names are repeated for each condition, and parts are sorted by their text at each level.
constexpr uint64_t kPerInputByte = 1024;

ByteView take_part(ByteView& text) {
  const size_t end = std::min(text.find('\0'), text.size());
  const ByteView part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

void check_error(const Error& error) {
  REQUIRE(error.code == ErrorCode::BadFilter && error.text.size() <= 4096);
  for (const char c : error.text) REQUIRE(static_cast<unsigned char>(c) >= 0x20);
}

void check_normal_form(const Filter& filter) {
  const std::string normal = filter_json(filter);
  const auto again = parse_filter(normal, kNormalFormLimits);
  REQUIRE(again);
  REQUIRE(filter_json(*again) == normal);
}

void match(FilterIndex& index, const Program& program, const Fields& fields, FilterSlot slot, ByteView json) {
  // Kept between calls, with its memory, as in a server.
  static DocumentParser parser;
  const auto document = parser.parse(json);
  if (!document) return;
  FieldValues values;
  values.extract(*document, fields);
  Evaluation evaluation;
  const Verdict expected = program.matches(values, evaluation);
  uint64_t regex_work = UINT64_MAX;
  FilterMatches found;
  index.match(*document, values, regex_work, found);
  // The compiled filter gives no result for a regular expression that takes too much work.
  if (!found.failed.empty() && found.failed.front().trouble == Trouble::RegexWork) return;
  const bool matches = expected == Verdict::Yes;
  REQUIRE(found.matched == (matches ? std::vector<FilterSlot>{slot} : std::vector<FilterSlot>()));
  REQUIRE(found.failed.empty() || expected == Verdict::Unknown);
}

}  // namespace
}  // namespace millrace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace millrace;
  ByteView rest(reinterpret_cast<const char*>(bytes), size);
  const ByteView json = take_part(rest);
  const uint64_t before = fuzz::allocated_bytes();
  const auto filter = parse_filter(json);
  REQUIRE(fuzz::allocated_bytes() - before <= kAtAll + kPerInputByte * json.size());
  if (!filter) {
    check_error(filter.error());
    return 0;
  }
  check_normal_form(*filter);

  Fields fields;
  const Program program(*filter, fields);
  REQUIRE(filter_json(program.filter(fields)) == filter_json(*filter));
  FilterIndex index(kKey);
  // Another filter was added before it and removed.
  const FilterSlot other = index.add(Filter());
  const FilterSlot slot = index.add(*filter);
  index.remove(other);
  REQUIRE(index.check() == nullptr);
  for (int i = 0; i < 10 && !rest.empty(); ++i) match(index, program, fields, slot, take_part(rest));
  // Saved and read again, it is the same filter before and after it is compiled.
  const std::string saved = index.saved(slot);
  const auto read = SavedFilter::read(saved);
  REQUIRE(read && read->json() == filter_json(*filter));
  FilterIndex restored(kKey);
  const FilterSlot again = restored.add_saved(*read, saved);
  REQUIRE(restored.saved(again) == saved && restored.check() == nullptr);
  rest = ByteView(reinterpret_cast<const char*>(bytes), size);
  take_part(rest);
  for (int i = 0; i < 10 && !rest.empty(); ++i) match(restored, program, fields, again, take_part(rest));
  REQUIRE(restored.check() == nullptr && restored.json(again) == filter_json(*filter));
  restored.remove(again);
  REQUIRE(restored.check() == nullptr && restored.fields().limit() == 0);
  index.remove(slot);
  REQUIRE(index.check() == nullptr && index.fields().limit() == 0);
  program.release(fields);
  REQUIRE(fields.limit() == 0 && fields.check() == nullptr);
  return 0;
}
