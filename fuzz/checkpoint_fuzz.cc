// An arbitrary checkpoint file: it is refused, or writing it again gives the same content.
#include <cstddef>
#include <cstdint>
#include <string>

#include "client/load/checkpoint.h"
#include "fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace millrace::client;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto checkpoint = parse_checkpoint(text);
  if (!checkpoint) return 0;
  const auto again = parse_checkpoint(checkpoint->text());
  REQUIRE(again && again->text() == checkpoint->text());
  REQUIRE(checkpoint->load.find('\n') == std::string::npos);
  return 0;
}
