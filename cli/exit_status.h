// What `millrace` ends with. Scripts depend on these numbers: they are in the help and in
// docs/guides, and do not change.
#pragma once

namespace millrace::cli {

enum ExitStatus : int {
  kDone = 0,           // everything asked for was done
  kSomeFailed = 1,     // it ran to its end, but something in it failed: an error reply, a bad line
  kWrongCall = 2,      // nothing was begun: an option, a template, or a file that cannot be read
  kNoServer = 3,       // the server cannot be reached, or went away and did not come back
  kCannotWrite = 4,    // a file of ours, or the output, cannot be written
  kDataLost = 5,       // load: the server came back without what it had confirmed, or perhaps without some of it
  kNotAcquired = 75,   // lock: somebody else holds it; try again later (sysexits.h: EX_TEMPFAIL)
  kLockLost = 76,      // lock: it was lost while the command ran, and the command was ended
  kInterrupted = 130,  // Ctrl-C, as shells count it: 128 + SIGINT
};

}  // namespace millrace::cli
