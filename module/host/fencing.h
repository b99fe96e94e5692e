// Fencing tokens. All of this server's come from one number, so a lock that is free leaves
// nothing behind and still its next grant has a greater token than any before.
//
// A token is the time in microseconds, or one more than the last if that is greater. The
// last one is saved in RDB files beside the keys, and raised by every token that comes from
// elsewhere. docs/why.md says what that guarantees.
#pragma once

#include "engine/base/strong.h"

namespace millrace::module::fencing {

Token next(UnixMs now);

// The greatest token this server has made or seen; 0 if none.
Token last();
void seen(Token token);

// The greatest token to be believed: a master, replayed writes and files may say anything,
// but a RESTORE must not push this server's tokens to the end of the numbers. A day ahead of
// the clock is as wrong as clocks are.
Token most_believed();

}  // namespace millrace::module::fencing
