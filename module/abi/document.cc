#include "module/abi/document.h"

#include <vector>

#include "module/abi/data_type.h"
#include "module/abi/registration.h"

namespace millrace::abi {

std::optional<UnixMs> DocumentKey::expires_at() const {
  const long long date = key_ == nullptr ? -1 : host.GetAbsExpire(key_);
  return date < 0 ? std::nullopt : std::optional(UnixMs(static_cast<uint64_t>(date)));
}

std::optional<OwnedString> DocumentKey::field(StringRef name) const {
  HostString* value = nullptr;
  if (host.HashGet(key_, 0, name.handle(), &value, nullptr) != kOk || value == nullptr) return std::nullopt;
  return OwnedString::adopt(value);
}

void DocumentKey::string(const std::function<void(ByteView)>& visit) const {
  // A short string may be encoded, and to show its bytes the host replaces the value of the key. GET copies the bytes
  // instead, but a replica in a cluster refuses our GET.
  constexpr size_t kNeverEncoded = 256;
  size_t size = 0;
  if (host.ValueLength(key_) < kNeverEncoded) {
    if (HostCallReply* reply = host.Call(context_.handle(), "GET", "s", name_.handle())) {
      const char* bytes = host.CallReplyStringPtr(reply, &size);
      visit(bytes == nullptr ? ByteView() : ByteView(bytes, size));
      return host.FreeCallReply(reply);
    }
  }
  const char* bytes = host.StringDMA(key_, &size, kRead);
  visit({bytes, size});
}

bool KeyScan::next(Context context, const std::function<void(ByteView)>& visit) {
  const auto take = [](HostContext*, HostString* name, HostKey*, void* data) {
    (*static_cast<const std::function<void(ByteView)>*>(data))(StringRef(name).view());
  };
  return host.Scan(context.handle(), cursor_, take, const_cast<std::function<void(ByteView)>*>(&visit)) != 0;
}

KeyScan::Looked KeyScan::next_of_ours(Context context, const std::function<void(ByteView, uint8_t)>& visit) {
  struct Data {
    const std::function<void(ByteView, uint8_t)>& visit;
    Looked looked;
  } data{visit, {}};
  const auto take = [](HostContext*, HostString* name, HostKey* key, void* given) {
    auto& to = *static_cast<Data*>(given);
    ++to.looked.keys;
    if (const auto type = type_number(key)) to.visit(StringRef(name).view(), *type);
  };
  data.looked.goes_on = host.Scan(context.handle(), cursor_, take, &data) != 0;
  return data.looked;
}

uint64_t database_size(Context context) { return host.DbSize(context.handle()); }

void hset_and_reply(Context context, std::span<const StringRef> words) {
  std::vector<HostString*> strings;
  for (const StringRef word : words) strings.push_back(word.handle());
  HostCallReply* reply = host.Call(context.handle(), "HSET", "!v", strings.data(), strings.size());
  if (reply == nullptr) {
    // In a cluster, while the slot is being moved.
    context.reply().error(Error{ErrorCode::Full, "the host refuses to write the document"});
    return;
  }
  host.ReplyWithCallReply(context.handle(), reply);
  host.FreeCallReply(reply);
}

bool drops_fields_at_loading() { return host.GetServerVersion() >= 0x090000; }

void watch_documents() {
  static bool is_watching = false;
  if (is_watching) return;
  is_watching = true;
  host.SubscribeToKeyspaceEvents(own_context().handle(), kNotifyKeys,
                                 [](HostContext* context, int, const char* event, HostString* key) {
                                   listener().document_changed(Context(context), StringRef(key), event);
                                   return kOk;
                                 });
}

}  // namespace millrace::abi
