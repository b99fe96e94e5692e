// Frames of WebSocket: in pieces they give the same messages as in one, and no message is larger than allowed. One of
// the two may find out earlier that a frame is wrong.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/require.h"
#include "gateway/websocket/frames.h"

namespace {

constexpr size_t kMost = 512;

struct Heard {
  std::string messages;
  bool goes_on = true;
};

Heard read_frames(std::string_view bytes, size_t piece) {
  Heard heard;
  millrace::gateway::FrameReader reader(kMost);
  std::string reply;
  for (size_t at = 0; at < bytes.size() && heard.goes_on; at += piece) {
    heard.goes_on = reader.put(
        bytes.substr(at, piece),
        [&](std::string_view text) {
          REQUIRE(text.size() <= kMost);
          heard.messages += text;
          heard.messages += '\n';
        },
        reply);
  }
  return heard;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const Heard whole = read_frames(text, size + 1);
  const Heard single = read_frames(text, 1);
  REQUIRE(whole.messages == single.messages);
  return 0;
}
