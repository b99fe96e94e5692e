// An index from untrusted bytes, as RESTORE and IDX.APPLY bring them: its parts, each with its kind and its length
// before it, for a new index and for one in use. Whatever a part says, the index is valid after it, and
// unchanged if it was refused; it can be saved and loaded, answers, and works like any other.
#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/base/decoder.h"
#include "engine/index/index_operations.h"
#include "engine/index/index_parts.h"
#include "fuzz/require.h"

namespace millrace {
namespace {

constexpr HashKey kHash{};

Index filled() {
  IndexSchema schema("d:", false);
  REQUIRE(schema.add_field({.name = "age", .type = FieldType::Integer, .separator = ""}));
  REQUIRE(schema.add_field({.name = "mail", .is_unique = true, .separator = ""}));
  REQUIRE(schema.add_field({.name = "tags", .separator = ","}));
  REQUIRE(schema.add_order({.name = "both", .fields = {"tags", "age"}}));
  Index index(schema, kHash);
  for (const char* name : {"1", "2", "3"}) {
    DocumentValues values;
    values.add(index.schema().fields()[0], ByteView(name));
    values.add(index.schema().fields()[1], "same");
    values.add(index.schema().fields()[2], "a,b");
    values.finish();
    index.set(name, values);
    index.note_written(name);
  }
  return index;
}

std::string text_of_index(const Index& index) {
  DigestText text;
  digest(index, text);
  return text.text();
}

// False at the end of the input.
bool restore_next(Index& index, Decoder& parts) {
  const uint64_t kind = parts.number();
  const ByteView part = parts.bytes(parts.number());
  if (!parts.ok()) return false;
  const std::string before = text_of_index(index);
  const auto restored = restore_part(index, static_cast<IndexPart>(kind & 7), part);
  REQUIRE(index.check() == nullptr);
  if (restored) return true;
  REQUIRE(restored.error().code == ErrorCode::Corrupt && !restored.error().text.empty());
  REQUIRE(text_of_index(index) == before);
  return true;
}

void require_comes_back(const Index& index) {
  IndexRestorer restorer(kHash);
  each_part(index, [&](const Part& part) { REQUIRE(restorer.add(part.kind, part.bytes, {})); });
  const auto finished = restorer.finish();
  REQUIRE(finished);
  const Index& again = *finished;
  REQUIRE(again.check() == nullptr);
  REQUIRE(text_of_index(again) == text_of_index(index));
}

void go_on(Index& index) {
  const IndexOperations operations(kHash);
  for (const IndexField& field : index.schema().fields()) {
    FindRequest request;
    request.order = field.name;
    request.limit = 3;
    REQUIRE(operations.find(&index, request, UnixMs(1000)));
  }
  REQUIRE(operations.conflicts(&index, 10) && operations.skipped(&index, 10) &&
          operations.recent(&index, 10, UnixMs(0)));
  index.set("1", {});
  REQUIRE(index.check() == nullptr);
  index.remove("1");
  index.remove("2");
  REQUIRE(index.check() == nullptr);
}

}  // namespace
}  // namespace millrace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace millrace;
  for (const bool is_new : {true, false}) {
    Index index = is_new ? Index(IndexSchema(), kHash) : filled();
    Decoder parts({reinterpret_cast<const char*>(bytes), size});
    // A bounded number, because everything is checked after each one.
    for (int i = 0; i < 30 && !parts.finished() && restore_next(index, parts);) ++i;
    if (index.schema().fields().empty()) continue;
    require_comes_back(index);
    go_on(index);
  }
  return 0;
}
