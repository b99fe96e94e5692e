// Untrusted receipts: one that is accepted is, byte for byte, the one that would be issued. The key never changes, so a
// lucky mutation would be a forgery.
//
//   input := channel \n subscriber \n receipt
#include <cstddef>
#include <cstdint>

#include "engine/channel/receipt.h"
#include "fuzz/allocation_meter.h"
#include "fuzz/require.h"

namespace millrace {
namespace {

constexpr HashKey kKey = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};

ByteView take_line(ByteView& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const ByteView line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

}  // namespace
}  // namespace millrace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace millrace;
  ByteView receipt(reinterpret_cast<const char*>(bytes), size);
  const ByteView channel = take_line(receipt);
  const ByteView subscriber = take_line(receipt);
  const uint64_t before = fuzz::allocated_bytes();
  const auto read = read_receipt(kKey, channel, subscriber, receipt);
  REQUIRE(fuzz::allocated_bytes() - before <= 1024 + 2 * size);
  if (!read) return 0;
  REQUIRE(issue_receipt(kKey, channel, subscriber, *read) == receipt);
  // It is not valid for the next clock, for another message, or for another subscriber.
  REQUIRE(issue_receipt(kKey, channel, subscriber, {read->clock.after(1), read->mark}) != receipt);
  REQUIRE(issue_receipt(kKey, channel, subscriber, {read->clock, read->mark + 1}) != receipt);
  REQUIRE(!read_receipt(kKey, subscriber, channel, receipt) || channel == subscriber);
  REQUIRE(!read_receipt(kKey, channel, std::string(subscriber) + "x", receipt));
  return 0;
}
