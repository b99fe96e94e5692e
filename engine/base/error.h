// Errors are values from a closed list. The code is stable and decides what a
// client sees first (`ERR`, `WRONGTYPE`, …); the text is for people.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace millrace {

enum class ErrorCode {
  Syntax,        // a word of a command is unknown, missing, given twice, or excludes another one
  Range,         // not a number, or outside the allowed range
  WrongType,     // the key holds something else
  NoGroup,       // no such log, or no such group in it
  NoSubscriber,  // no such channel, or no such subscriber of it
  BadReceipt,    // a receipt that was not issued for this channel and subscriber
  BadPosition,   // a position from another epoch of the log or channel
  BadFilter,     // an invalid filter
  NoFilter,      // no filter of that name on the channel
  NoWorker,      // a worker that has not joined the pool
  NoWorkers,     // a pool without workers
  NoFeed,        // no such feed: it was never created, or it was not read for too long
  NoIndex,       // no such index
  NotUnique,     // another document has the value of a unique field
  Building,      // an index that has not read all documents yet
  NotOwner,      // a recipient or lock that belongs to another client
  ReadOnly,      // a write on a replica
  NoRights,      // the user may not do this
  NoMemory,      // maxmemory is reached
  Refused,       // an object refuses more until consumers have caught up
  Full,          // an object has reached a limit other than memory
  Exists,        // the object to be created exists already
  OfHost,        // an error of the host: the text is the whole line
  Corrupt,       // bytes from outside that do not decode to a valid object
};

struct Error {
  ErrorCode code;
  std::string text;
};

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(ErrorCode code, std::string text) {
  return std::unexpected(Error{code, std::move(text)});
}

// For decoders: every such error has the same code, and the reason is for people.
inline std::unexpected<Error> corrupt(const char* reason) { return fail(ErrorCode::Corrupt, reason); }

}  // namespace millrace
