// JSON of clients: accepted JSON stays the same when it is parsed again, and its fields are JSON themselves.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/require.h"
#include "gateway/json/json_object.h"
#include "gateway/json/json_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace millrace::gateway;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  if (const auto decoded = base64_decoded(text)) REQUIRE(base64_decoded(base64(*decoded)) == decoded);
  const auto compact = compact_json(text);
  const auto object = JsonObject::parse(text);
  if (!compact) {
    REQUIRE(!object);
    return 0;
  }
  REQUIRE(compact->size() <= size);
  REQUIRE(compact->find('\n') == compact->npos);
  REQUIRE(compact_json(*compact) == compact);
  if (const auto items = json_items(*compact)) {
    for (const std::string_view item : *items) REQUIRE(compact_json(item) == item);
  }
  if (!object) return 0;
  for (const auto& [name, raw] : object->fields()) {
    REQUIRE(compact_json(raw) == raw);
    REQUIRE(object->raw(name));
  }
  return 0;
}
