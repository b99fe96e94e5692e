// Where tests let the process die: named places in the midst of saving, rewriting and loading.
//
// They are compiled into millrace_failing.so alone, which the tests load; nothing of them is left in millrace.so.
#pragma once

namespace millrace::module {

#ifdef MILLRACE_FAILURE_POINTS
// Ends the process as kill -9 does if the file "failure-point" in its working directory holds this name, alone or with
// the number of the pass, counted from 1 by this process: "log.save", "pool.load 3".
void failure_point(const char* name);
#else
inline void failure_point(const char*) {}
#endif

}  // namespace millrace::module
