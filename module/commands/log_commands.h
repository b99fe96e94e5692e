// The log's commands: each takes its words apart, works on the log, and answers.
#pragma once

#include "module/abi/registration.h"

namespace millrace::module {

void twrite(abi::Context context, abi::Arguments arguments);
void tread(abi::Context context, abi::Arguments arguments);
void tevict(abi::Context context, abi::Arguments arguments);
void tretain(abi::Context context, abi::Arguments arguments);
void tseek(abi::Context context, abi::Arguments arguments);
void tinfo(abi::Context context, abi::Arguments arguments);
void tapply(abi::Context context, abi::Arguments arguments);

}  // namespace millrace::module
