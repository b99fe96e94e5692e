// Named places during saving, rewriting and loading at which tests make the process die.
//
// They are compiled only into millrace_failing.so, which the tests load; millrace.so does not contain them.
#pragma once

namespace millrace::module {

#ifdef MILLRACE_FAILURE_POINTS
// Ends the process as kill -9 does if the file "failure-point" in its working directory contains this name, alone or
// with a pass number that this process counts from 1: "lock.save-token", "lock.load-token 3".
void failure_point(const char* name);
// The same for a step with one part of an object. It has two names: "log.save", and with the word of the part,
// "log.save-group".
void failure_point(const char* type, const char* step, const char* word);
#else
inline void failure_point(const char*) {}
inline void failure_point(const char*, const char*, const char*) {}
#endif

}  // namespace millrace::module
