#include "module/lock/lock_type.h"

#include "engine/base/decoder.h"
#include "module/lock/lock_object.h"
#include "module/runtime/role.h"

namespace millrace::abi {

LockRestorer TypeTraits<Lock>::restorer() {
  return {module::lock_operations().tokens(), module::ObjectTraits<Lock>::now(), module::every_call_decides};
}

void TypeTraits<Lock>::each_part(const Lock& lock, const PartVisit& visit) {
  millrace::each_part(lock, monotonic_clock_identity(), visit);
}

bool TypeTraits<Lock>::load_aux(RdbReader& reader, int version) {
  const auto bytes = reader.bytes();
  Decoder in(bytes ? bytes->view() : ByteView());
  const Token token(in.number());
  if (version > kEncodingVersion || !in.finished() || token > kMaxToken) {
    reader.refuse("last fencing token", {ErrorCode::Corrupt, "it is invalid"});
    return false;
  }
  module::lock_operations().tokens().seen(token);
  return true;
}

}  // namespace millrace::abi
