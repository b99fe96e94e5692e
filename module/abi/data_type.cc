#include "module/abi/data_type.h"

#include <algorithm>
#include <vector>

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
  // The name is the host's own string; only the type of the callback says const.
  const StringRef name(const_cast<HostString*>(host.GetKeyNameFromOptCtx(key)));
  return {host.GetDbIdFromOptCtx(key), name.view()};
}

ByteView RdbReader::key() const {
  const HostString* name = host.GetKeyNameFromIO(io_);
  if (name == nullptr) return {};
  return StringRef(const_cast<HostString*>(name)).view();
}

namespace {
constinit std::vector<HostType*> our_types;
constinit std::vector<Arrived> arrived_by_type;
}  // namespace

uint8_t add_type(HostType* type, Arrived arrived) {
  our_types.push_back(type);
  arrived_by_type.push_back(arrived);
  return static_cast<uint8_t>(our_types.size() - 1);
}

std::optional<uint8_t> type_number(HostKey* key) {
  const HostType* const type = host.ModuleTypeGetType(key);
  const auto found = std::ranges::find(our_types, type);
  if (type == nullptr || found == our_types.end()) return std::nullopt;
  return static_cast<uint8_t>(found - our_types.begin());
}

std::optional<uint8_t> type_number(Context context, StringRef name) {
  HostKey* const key = host.OpenKey(context.handle(), name.handle(), kRead | kNoTouch);
  if (key == nullptr) return std::nullopt;
  const auto number = type_number(key);
  host.CloseKey(key);
  return number;
}

void arrive_again(Context context, StringRef name) {
  HostKey* const key = host.OpenKey(context.handle(), name.handle(), kRead | kNoTouch);
  if (key == nullptr) return;
  const auto type = type_number(key);
  if (type && arrived_by_type[*type] != nullptr) {
    arrived_by_type[*type](context.database(), name.view(), host.ModuleTypeGetValue(key));
  }
  host.CloseKey(key);
}

std::unexpected<Error> wrong_type() {
  return fail(ErrorCode::WrongType, "Operation against a key holding the wrong kind of value");
}

}  // namespace millrace::abi
