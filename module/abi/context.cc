#include "module/abi/context.h"

#include <string>
#include <thread>
#include <vector>

#include "engine/base/hash_slot.h"

namespace millrace::abi {

namespace {

constinit HostContext* own = nullptr;
std::thread::id main_thread;

}  // namespace

UserRights::UserRights(Context context) : database_(context.database()) {
  // A script runs for its caller. Otherwise the client is asked by its id, which is safe
  // for calls that come from no client: another module's, for example.
  HostString* current = context.has(kFlagScript)
                            ? host.GetCurrentUserName(context.handle_)
                            : host.GetClientUserNameById(context.handle_, host.GetClientId(context.handle_));
  if (current == nullptr) return;
  const OwnedString name = OwnedString::adopt(current);
  name_ = StringRef(name).view();
  user_ = host.GetModuleUserFromUserName(current);
}

UserRights::~UserRights() {
  if (user_ != nullptr) host.FreeModuleUser(user_);
}

bool UserRights::may_read(StringRef key) const {
  return user_ == nullptr || host.ACLCheckKeyPermissions(user_, key.handle(), static_cast<int>(kKeyAccess)) == kOk;
}

bool UserRights::may_run(std::span<const StringRef> words) const {
  if (user_ == nullptr) return true;
  HostString* argv[8];
  for (size_t i = 0; i < words.size(); ++i) argv[i] = words[i].handle();
  const int count = static_cast<int>(words.size());
  // Where rights are given by database, the older function refuses every user who has not all of them.
  if (host.ACLCheckPermissions != nullptr) {
    return host.ACLCheckPermissions(user_, argv, count, database_, nullptr) == kOk;
  }
  return host.ACLCheckCommandPermissions(user_, argv, count) == kOk;
}

namespace {

HostString* no_name() {
  static const auto& name = *new OwnedString("");
  return StringRef(name).handle();
}

// The host refuses a call that it would redirect.
bool is_redirected(HostContext* context, StringRef key) {
  HostCallReply* reply = host.Call(context, "EXISTS", "s", key.handle());
  if (reply != nullptr) host.FreeCallReply(reply);
  return reply == nullptr;
}

}  // namespace

bool Context::is_served_elsewhere(StringRef key) const {
  // Our own check, because the host does not check clients that it obeys.
  return is_cluster() && is_redirected(own_context().handle(), key);
}

bool Context::is_slot_elsewhere(StringRef key) const {
  if (!is_served_elsewhere(key)) return false;
  const long long slot = hash_slot(key.view());
  HostCallReply* reply = host.Call(own, "CLUSTER", "ccll", "SLOT-STATS", "SLOTSRANGE", slot, slot);
  if (reply == nullptr) return false;
  // The statistics of the slots that are this node's or its master's.
  const bool is_elsewhere = host.CallReplyType(reply) == kReplyArray && host.CallReplyLength(reply) == 0;
  host.FreeCallReply(reply);
  return is_elsewhere;
}

int Context::database() const {
  if (host.ACLCheckPermissions == nullptr || !has(kFlagMulti)) return host.GetSelectedDb(handle_);
  // Valkey 9.1 tells in a transaction which database the client has selected, also in an event of a key in another one
  // (MOVE, COPY … DB). A key is opened in the true one.
  HostKey* key = host.OpenKey(handle_, no_name(), kWrite | kNoTouch);
  const int database = host.GetDbIdFromModuleKey(key);
  host.CloseKey(key);
  return database;
}

bool Context::sends_elsewhere(StringRef key) const { return is_cluster() && is_redirected(handle_, key); }

std::string Context::last_command_of(uint64_t client) {
  // CLIENT LIST answers one line: "id=7 addr=... cmd=lock.acquire user=default ...". A name given by a client has no
  // space in it.
  HostCallReply* reply =
      host.Call(own_context().handle(), "CLIENT", "ccl", "LIST", "ID", static_cast<long long>(client));
  if (reply == nullptr) return {};
  size_t size = 0;
  const char* text = host.CallReplyStringPtr(reply, &size);
  const ByteView line = text == nullptr ? ByteView() : ByteView(text, size);
  constexpr ByteView kField = " cmd=";
  std::string command;
  if (const size_t at = line.find(kField); at != line.npos) {
    const ByteView rest = line.substr(at + kField.size());
    command = rest.substr(0, rest.find_first_of(" \n"));
  }
  host.FreeCallReply(reply);
  return command;
}

void Context::replicate_words(const char* command, std::span<const StringRef> words) const {
  std::vector<HostString*> strings;
  for (StringRef word : words) strings.push_back(word.handle());
  host.Replicate(handle_, command, "v", strings.data(), strings.size());
}

void log_warning(const char* text) { host.Log(own, "warning", "%s", text); }

Context own_context() { return Context(own); }
void make_own_context(HostContext* loading) {
  own = host.GetDetachedThreadSafeContext(loading);
  main_thread = std::this_thread::get_id();
}

bool on_main_thread() { return std::this_thread::get_id() == main_thread; }

}  // namespace millrace::abi
