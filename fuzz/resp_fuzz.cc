// Commands in the Redis protocol: a command means the same after it was written again, and is the same in windows of
// any size.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "client/load/resp_splitter.h"
#include "client/protocol.h"
#include "fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace millrace::client;
  std::string_view text(reinterpret_cast<const char*>(bytes), size);
  RespSplitter splitter;
  while (!text.empty()) {
    const Split split = splitter.split(text, true);
    REQUIRE(split.kind != Split::Kind::NeedsMore);
    if (split.kind == Split::Kind::Lost) break;
    REQUIRE(split.size >= 1 && split.size <= text.size());
    if (split.kind == Split::Kind::Record) {
      REQUIRE(!splitter.words().empty());
      std::string written(most_protocol_bytes(splitter.words()), '\0');
      written.resize(static_cast<size_t>(write_protocol(written.data(), splitter.words()) - written.data()));
      RespSplitter again;
      REQUIRE(again.split(written, false).size == written.size());
      REQUIRE(again.words() == splitter.words());
      if (!splitter.is_inline()) {
        for (size_t shown = 1; shown < split.size; shown += 1 + shown / 8) {
          REQUIRE(RespSplitter().split(text.substr(0, shown), false).kind == Split::Kind::NeedsMore);
        }
      }
    }
    text.remove_prefix(split.size);
  }
  return 0;
}
