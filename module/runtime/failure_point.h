// Where tests let the process die: named places in the midst of saving, rewriting and loading.
//
// They are compiled into millrace_failing.so alone, which the tests load; nothing of them is left in millrace.so.
#pragma once

namespace millrace::module {

#ifdef MILLRACE_FAILURE_POINTS
// Ends the process as kill -9 does if the file "failure-point" in its working directory holds this name, alone or with
// the number of the pass, counted from 1 by this process: "lock.save-token", "lock.load-token 3".
void failure_point(const char* name);
// The same for a step with one part of an object, by two names: "log.save", and with the word of
// the part "log.save-group".
void failure_point(const char* type, const char* step, const char* word);
#else
inline void failure_point(const char*) {}
inline void failure_point(const char*, const char*, const char*) {}
#endif

}  // namespace millrace::module
