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
void tack(abi::Context context, abi::Arguments arguments);
void tnack(abi::Context context, abi::Arguments arguments);
void tgroup_list(abi::Context context, abi::Arguments arguments);
void tgroup_seek(abi::Context context, abi::Arguments arguments);
void tgroup_drop(abi::Context context, abi::Arguments arguments);
void tgroup_pending(abi::Context context, abi::Arguments arguments);
void tgroup_set(abi::Context context, abi::Arguments arguments);
void tapply(abi::Context context, abi::Arguments arguments);

}  // namespace millrace::module
