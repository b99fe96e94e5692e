// The index of Millrace keys as a part of the module: one command, and hooks that update the index while it is used.
#pragma once

#include "module/abi/registration.h"
#include "module/runtime/family.h"

namespace millrace::module {

// A family without a key type.
Family keys_family();

void millrace_keys(abi::Context context, abi::Arguments arguments);

}  // namespace millrace::module
