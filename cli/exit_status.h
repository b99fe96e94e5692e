// The exit statuses of `millrace`. Scripts depend on these numbers: they are in the help and in docs/guides, and do not
// change.
#pragma once

namespace millrace::cli {

enum ExitStatus : int {
  kDone = 0,           // everything was done
  kSomeFailed = 1,     // it ran to its end, but a part failed: an error reply, a bad line
  kWrongCall = 2,      // nothing was begun: a wrong option or template, or a file that cannot be read
  kNoServer = 3,       // the server cannot be reached, or was lost and did not come back
  kCannotWrite = 4,    // a file or the output cannot be written
  kDataLost = 5,       // load: the server came back without data that it had confirmed, or possibly without some of it
  kNotAcquired = 75,   // lock: another client holds it; try again later (sysexits.h: EX_TEMPFAIL)
  kLockLost = 76,      // lock: it was lost while the command ran, and the command was ended
  kInterrupted = 130,  // Ctrl-C, as in shells: 128 + SIGINT
};

}  // namespace millrace::cli
