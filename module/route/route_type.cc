#include "module/route/route_type.h"

#include "engine/route/route_codec.h"
#include "engine/route/route_effects.h"
#include "module/runtime/counters.h"
#include "module/runtime/failure_point.h"

namespace millrace::module {

const HashKey& route_hash_key() {
  static const HashKey key = [] {
    HashKey bytes;
    abi::fill_with_randomness(bytes);
    return bytes;
  }();
  return key;
}

}  // namespace millrace::module

namespace millrace::abi {

namespace {

// Strings up to an empty one.
Result<std::unique_ptr<RouteTable>> load_table(RdbReader& reader) {
  auto table = std::make_unique<RouteTable>(module::route_hash_key());
  for (;;) {
    const auto part = reader.bytes();
    if (!part) return cut_short();
    if (part->view().empty()) break;
    module::failure_point("route.load");
    if (auto restored = restore_route_part(*table, part->view()); !restored) return std::unexpected(restored.error());
  }
  return table;
}

}  // namespace

std::unique_ptr<RouteTable> TypeTraits<RouteTable>::load(RdbReader& reader, int version) {
  auto table = version == kEncodingVersion ? load_table(reader)
                                           : fail(ErrorCode::Corrupt, "written by a newer version of the module");
  if (!table) {
    ++module::counters.refused_payloads;
    reader.refuse("routing table", table.error());
    return nullptr;
  }
  return std::move(*table);
}

void TypeTraits<RouteTable>::save(RdbWriter& writer, const RouteTable& table) {
  encode_route_table(table, [&](ByteView part) {
    writer.bytes(part);
    module::failure_point("route.save");
  });
  writer.bytes({});
}

void TypeTraits<RouteTable>::rewrite(AofWriter& writer, const RouteTable& table) {
  encode_route_table(table, [&](ByteView part) {
    module::failure_point("route.rewrite");
    writer.emit(module::kApplyToRoute, kRoutePart, part);
  });
}

void TypeTraits<RouteTable>::digest(DigestWriter& writer, const RouteTable& table) {
  writer.number(table.clock().value());
  for (const std::string& fact : route_facts(table)) writer.bytes(fact);
}

std::unique_ptr<RouteTable> TypeTraits<RouteTable>::copy(const RouteTable& table) {
  auto copied = std::make_unique<RouteTable>(module::route_hash_key());
  // What we have written ourselves can be read.
  encode_route_table(table, [&](ByteView part) { (void)restore_route_part(*copied, part); });
  return copied;
}

}  // namespace millrace::abi
