// Answers of webhook receivers: in pieces they are parsed in the same way as in one, and the memory for them is
// bounded.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/require.h"
#include "gateway/deliver/hook_response.h"
#include "gateway/deliver/hook_retry.h"

namespace {

using millrace::gateway::HookResponseReader;
using State = HookResponseReader::State;

void read_in_pieces(HookResponseReader& reader, std::string_view bytes, size_t piece) {
  for (size_t at = 0; at < bytes.size() && reader.state() == State::Reading; at += piece) {
    reader.put(bytes.substr(at, piece));
  }
  if (reader.state() == State::Reading) reader.put_end();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  HookResponseReader whole;
  HookResponseReader single;
  read_in_pieces(whole, text, size + 1);
  read_in_pieces(single, text, 1);
  REQUIRE(whole.state() != State::Reading);
  REQUIRE(whole.state() == single.state());
  if (whole.state() != State::Complete) return 0;
  REQUIRE(whole.status() == single.status());
  REQUIRE(whole.status() >= 200);
  REQUIRE(whole.retry_after() == single.retry_after());
  if (!whole.retry_after()) return 0;
  const auto pause = millrace::gateway::parse_retry_after(*whole.retry_after(), 1'700'000'000);
  REQUIRE(!pause || (pause->count() >= 0 && pause->count() <= 86'400'000));
  return 0;
}
