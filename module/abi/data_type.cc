#include "module/abi/data_type.h"

namespace millrace::abi {

Result<Buffer> RdbReader::bytes() {
  size_t size = 0;
  char* bytes = host.LoadStringBuffer(io_, &size);
  // The host allocated it as our operator new[] would have.
  std::unique_ptr<char[]> owned(bytes);
  if (bytes == nullptr || host.IsIOError(io_) || size > UINT32_MAX) {
    return corrupt("the payload ends too early");
  }
  return Buffer::adopt(std::move(owned), static_cast<uint32_t>(size));
}

void RdbReader::refuse(const char* type, const Error& error) {
  host.LogIOError(io_, "warning", "millrace: refused to load a %s: %s", type, error.text.c_str());
}

KeyPlace place_of(HostKeyOptions* key) {
  // The host lends the name; that its type says const is all that is in the way.
  const StringRef name(const_cast<HostString*>(host.GetKeyNameFromOptCtx(key)));
  return {host.GetDbIdFromOptCtx(key), name.view()};
}

ByteView RdbReader::key() const {
  const HostString* name = host.GetKeyNameFromIO(io_);
  if (name == nullptr) return {};
  return StringRef(const_cast<HostString*>(name)).view();
}

std::unexpected<Error> wrong_type() {
  return fail(ErrorCode::WrongType, "Operation against a key holding the wrong kind of value");
}

}  // namespace millrace::abi
