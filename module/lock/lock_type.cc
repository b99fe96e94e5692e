#include "module/lock/lock_type.h"

#include <string>

#include "engine/base/decoder.h"
#include "module/lock/lock_object.h"
#include "module/runtime/failure_point.h"
#include "module/runtime/role.h"

namespace millrace::abi {

LockRestorer TypeTraits<Lock>::restorer() {
  return {module::lock_operations().tokens(), module::ObjectTraits<Lock>::now(), module::may_decide};
}

void TypeTraits<Lock>::each_part(const Lock& lock, const PartVisit& visit) {
  millrace::each_part(lock, monotonic_clock_identity(), visit);
}

bool TypeTraits<Lock>::has_aux() { return module::lock_operations().tokens().last() != Token(0); }

void TypeTraits<Lock>::save_aux(RdbWriter& writer) {
  std::string token;
  append_varint(token, module::lock_operations().tokens().last().value());
  module::failure_point("lock.save-token");
  writer.bytes(token);
}

bool TypeTraits<Lock>::load_aux(RdbReader& reader, int version) {
  const auto bytes = reader.bytes();
  module::failure_point("lock.load-token");
  Decoder in(bytes ? bytes->view() : ByteView());
  const Token token(in.number());
  if (version > kEncodingVersion || !in.finished() || token > kMaxToken) {
    reader.refuse("last fencing token", {ErrorCode::Corrupt, "it is not one"});
    return false;
  }
  module::lock_operations().tokens().seen(token);
  return true;
}

}  // namespace millrace::abi
