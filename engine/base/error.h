// Errors are values from a closed list. The code is stable and decides what a
// client sees first (`ERR`, `WRONGTYPE`, …); the text is for people.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace millrace {

enum class ErrorCode {
  Syntax,        // the words of a command: unknown, missing, twice, excluding each other
  Range,         // a number that is not one, or outside what is allowed
  WrongType,     // the key holds something else
  NoGroup,       // no such log, or no such group in it
  NoSubscriber,  // no such channel, or no such subscriber of it
  BadReceipt,    // a receipt that was not issued for this channel and subscriber
  BadPosition,   // a position that is not one of this life of a log or channel
  BadFilter,     // a filter that is not one
  NoFilter,      // no filter of that name on the channel
  NoWorker,      // a worker that has not joined the pool
  NoWorkers,     // a pool without workers
  NoFeed,        // no such feed: it was never made, or nobody has read it for too long
  NoIndex,       // no such index
  NotUnique,     // another document has the value of a unique field
  Building,      // an index that has not read all documents yet
  NotOwner,      // a recipient or lock that belongs to another
  ReadOnly,      // a write on a replica
  NoRights,      // the user may not do this
  NoMemory,      // maxmemory is reached
  Refused,       // an object refuses more until others have done their part
  Full,          // an object can take no more, whatever memory there is
  Exists,        // what is to be made is there already
  Corrupt,       // outside bytes that do not decode to a valid object
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

// For decoders: the reason is for people, every such error has the same code.
inline std::unexpected<Error> corrupt(const char* reason) { return fail(ErrorCode::Corrupt, reason); }

}  // namespace millrace
