#include "module/abi/write_checks.h"

#include <cerrno>
#include <string>

#include "engine/base/hash_slot.h"

namespace millrace::abi {

namespace {

// From before the host is asked until it calls the command back, which it does if it has no objection.
constinit bool is_checking = false;

// The host calls `command`, or answers why it does not. S: it checks what it checks for the commands of scripts. C: it
// checks the rights of the client's user. E: it answers its objection.
HostCallReply* check(HostContext* context, const char* command, HostString* key) {
  is_checking = true;
  HostCallReply* reply = host.Call(context, command, "sssSCE", key, key, key);
  // Another module's call, or one from our master or the AOF, is by no user and may do everything.
  if (!is_checking || errno != ENOTSUP) return reply;
  if (reply != nullptr) host.FreeCallReply(reply);
  return host.Call(context, command, "sssSE", key, key, key);
}

std::string text_of(HostCallReply* reply) {
  size_t size = 0;
  const char* text = reply == nullptr ? nullptr : host.CallReplyStringPtr(reply, &size);
  return text == nullptr ? std::string() : std::string(text, size);
}

// The answer that the host gives to a write on a replica. It has no function that redirects the client of a module's
// command, so the owner of the slot is looked up as a client would.
Error moved(HostContext* context, ByteView key) {
  const uint16_t slot = hash_slot(key);
  std::string line = "CLUSTERDOWN Hash slot not served";
  HostCallReply* ranges = host.Call(context, "CLUSTER", "c", "SLOTS");
  if (ranges == nullptr) return {ErrorCode::OfHost, line};
  const auto number = [](HostCallReply* of, size_t i) {
    return host.CallReplyInteger(host.CallReplyArrayElement(of, i));
  };
  // Each is [first slot, last slot, [name, port, …] of the master, …]. Without a name, clients use the one they have.
  HostCallReply* range = nullptr;
  for (size_t i = 0; (range = host.CallReplyArrayElement(ranges, i)) != nullptr; ++i) {
    if (slot < number(range, 0) || slot > number(range, 1)) continue;
    HostCallReply* master = host.CallReplyArrayElement(range, 2);
    line = "MOVED " + std::to_string(slot) + " " + text_of(host.CallReplyArrayElement(master, 0)) + ":" +
           std::to_string(number(master, 1));
    break;
  }
  host.FreeCallReply(ranges);
  return {ErrorCode::OfHost, line};
}

}  // namespace

bool detail::take_check(HostContext* context) {
  if (!is_checking) [[likely]] {
    return false;
  }
  is_checking = false;
  Context(context).reply().ok();
  return true;
}

Result<void> may_run_write(Context context, const char* command, StringRef key) {
  const int flags = host.GetContextFlags(context.handle());
  // Here a client reads from a replica of the slot's owner (READONLY). A script's write would be refused, not moved.
  if ((flags & kFlagCluster) != 0 && (flags & (kFlagMaster | kFlagScript)) == 0) {
    return std::unexpected(moved(context.handle(), key.view()));
  }
  HostCallReply* reply = check(context.handle(), command, key.handle());
  const int reason = errno;
  const std::string text = is_checking ? text_of(reply) : std::string();
  if (reply != nullptr) host.FreeCallReply(reply);
  if (!is_checking) return {};
  is_checking = false;
  if (reason == EACCES) {
    return fail(ErrorCode::NoRights, std::string("this user may not run ") + command + " on this key");
  }
  if (reason == EROFS) return fail(ErrorCode::OfHost, "CLUSTERDOWN The cluster is down and only accepts read commands");
  return fail(ErrorCode::OfHost, text);
}

}  // namespace millrace::abi
