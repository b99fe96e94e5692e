#include "module/abi/context.h"

#include <string>

namespace millrace::abi {

namespace {

constinit HostContext* own = nullptr;

const char* prefix_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::WrongType:
      return "WRONGTYPE ";
    case ErrorCode::Syntax:
    case ErrorCode::Range:
    case ErrorCode::Full:
    case ErrorCode::Corrupt:
      return "ERR ";
  }
  return "ERR ";
}

}  // namespace

void Reply::error(const Error& error) {
  const std::string line = prefix_of(error.code) + error.text;
  host.ReplyWithError(context_, line.c_str());
}

void log_warning(const char* text) { host.Log(own, "warning", "%s", text); }
void log_notice(const char* text) { host.Log(own, "notice", "%s", text); }

Context own_context() { return Context(own); }
void make_own_context(HostContext* loading) { own = host.GetDetachedThreadSafeContext(loading); }

}  // namespace millrace::abi
