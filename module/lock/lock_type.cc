#include "module/lock/lock_type.h"

#include <string>

#include "engine/base/decoder.h"
#include "engine/lock/lock_codec.h"
#include "module/lock/lock_object.h"
#include "module/runtime/counters.h"
#include "module/runtime/failure_point.h"
#include "module/runtime/role.h"

namespace millrace::abi {

namespace {

Result<Lock> load_lock(RdbReader& reader) {
  const Now now = module::ObjectTraits<Lock>::now();
  FencingTokens& tokens = module::lock_operations().tokens();
  // What a master sends is believed.
  const Token most = module::may_decide ? tokens.most_believed(now.wall) : kMaxToken;
  Token greatest;
  Lock lock;
  module::failure_point("lock.load");
  auto changes = reader.strings([&](ByteView part) { return apply_changes(lock, part, now, most, greatest); });
  if (!changes) return std::unexpected(changes.error());
  if (lock.is_free()) return fail(ErrorCode::Corrupt, "a lock that nobody holds");
  tokens.seen(greatest);
  return lock;
}

}  // namespace

std::unique_ptr<Lock> TypeTraits<Lock>::load(RdbReader& reader, int version) {
  auto lock = version == kEncodingVersion ? load_lock(reader)
                                          : fail(ErrorCode::Corrupt, "written by a newer version of the module");
  if (!lock) {
    ++module::counters.refused_payloads;
    reader.refuse("lock", lock.error());
    return nullptr;
  }
  return std::make_unique<Lock>(std::move(*lock));
}

void TypeTraits<Lock>::save(RdbWriter& writer, const Lock& lock) {
  module::failure_point("lock.save");
  writer.strings(encode_lock(lock, monotonic_clock_identity()));
}

void TypeTraits<Lock>::rewrite(AofWriter& writer, const Lock& lock) {
  for (const std::string& part : encode_lock(lock, monotonic_clock_identity())) {
    module::failure_point("lock.rewrite");
    writer.emit(module::kLockApply, part);
  }
}

// Without the ends of leases: a server with another clock has them at other moments.
void TypeTraits<Lock>::digest(DigestWriter& writer, const Lock& lock) {
  if (lock.is_free()) return;
  writer.number(static_cast<uint64_t>(lock.mode().kind()));
  writer.number(lock.mode().permits());
  for (const auto& [owner, holding] : lock.holders()) {
    writer.bytes(owner);
    for (uint64_t number : {holding.token.value(), holding.holds, holding.lease.ttl_ms}) writer.number(number);
  }
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
  if (version != kEncodingVersion || !in.finished() || token > kMaxToken) {
    reader.refuse("last fencing token", {ErrorCode::Corrupt, "it is not one"});
    return false;
  }
  module::lock_operations().tokens().seen(token);
  return true;
}

}  // namespace millrace::abi
