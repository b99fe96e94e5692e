// Where this server keeps the mark that none of its fencing tokens has passed: a small file, millrace-tokens, in the
// data directory. An RDB file has no place for it: whatever a module puts there beside keys makes the file unreadable
// for a server without that module.
#pragma once

#include "engine/base/strong.h"

namespace millrace::module {

// 0 if there is none.
Token kept_token_mark();

// Never lowers the mark. A file that cannot be written is logged once; tokens rise then as long as the clock does.
void keep_token_mark(Token mark);

}  // namespace millrace::module
