#include "engine/route/dispatch_answer.h"

#include "engine/base/decoder.h"
#include "engine/base/limits.h"
#include "engine/base/utf8.h"

namespace millrace {

std::string dispatch_answer(const std::vector<DispatchedTransport>& transports) {
  std::string bytes;
  for (const DispatchedTransport& each : transports) {
    append_varint(bytes, each.transport.size());
    bytes += each.transport;
    append_varint(bytes, each.devices);
    append_varint(bytes, each.offset ? each.offset->value() : 0);
  }
  return bytes;
}

std::vector<DispatchedTransport> read_dispatch_answer(ByteView bytes) {
  std::vector<DispatchedTransport> transports;
  Decoder in(bytes);
  while (in.ok() && !in.finished()) {
    DispatchedTransport& each = transports.emplace_back();
    each.transport = in.bytes(in.number());
    each.devices = in.number();
    if (const uint64_t offset = in.number(); offset != 0) each.offset = Offset(offset);
  }
  return transports;
}

bool is_dispatch(ByteView id, ByteView answer) {
  // An id, and the page of a dispatch in pages.
  constexpr size_t kPage = 16;
  if (id.empty() || id.size() > kMaxNameBytes + kPage) return false;
  Decoder in(answer);
  while (in.ok() && !in.finished()) {
    const ByteView transport = in.bytes(in.number());
    const uint64_t devices = in.number();
    const uint64_t offset = in.number();
    if (!in.ok() || transport.empty() || transport.size() > kMaxNameBytes || !is_utf8(transport)) return false;
    if (devices > UINT32_MAX || offset > INT64_MAX) return false;
  }
  return in.ok();
}

}  // namespace millrace
