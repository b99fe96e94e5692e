// A small file, millrace-tokens, in the data directory: it stores a mark, and no fencing token of this server is
// greater than that. The mark cannot be in the RDB file: data of a module besides keys makes the file unreadable for a
// server without that module.
#pragma once

#include "engine/base/strong.h"

namespace millrace::module {

// 0 if there is none.
Token kept_token_mark();

// Never lowers the mark. If the file cannot be written, that is logged once; then tokens increase as long as the clock
// does.
void keep_token_mark(Token mark);

}  // namespace millrace::module
