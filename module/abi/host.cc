#include "module/abi/host.h"

#include <cstdio>

namespace millrace::abi {

constinit HostFunctions host;

namespace {

using GetFunction = int (*)(const char* name, void* target);

// The one fact that is not looked up by name: a context begins with the pointer to
// the function that looks up all others.
GetFunction lookup_of(HostContext* context) { return *reinterpret_cast<GetFunction*>(context); }

bool refuse(HostContext* context, const char* function) {
  if (host.Log != nullptr) {
    host.Log(context, "warning", "millrace: this host lacks %s; Redis 7.0 or Valkey 7.2 is the oldest that works",
             function);
  } else {
    std::fprintf(stderr, "millrace: this host lacks %s\n", function);
  }
  return false;
}

}  // namespace

bool bind(HostContext* context) {
  const GetFunction lookup = lookup_of(context);
#define MILLRACE_BIND(name, result, parameters)                                 \
  if (lookup("RedisModule_" #name, reinterpret_cast<void*>(&host.name)) != kOk) \
    return refuse(context, "RedisModule_" #name);
  MILLRACE_HOST_FUNCTIONS(MILLRACE_BIND)
#undef MILLRACE_BIND
#define MILLRACE_TRY(name, result, parameters) lookup("RedisModule_" #name, reinterpret_cast<void*>(&host.name));
  MILLRACE_OPTIONAL_HOST_FUNCTIONS(MILLRACE_TRY)
#undef MILLRACE_TRY
  return true;
}

}  // namespace millrace::abi
