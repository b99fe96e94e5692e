// A group of an open log, for the commands that need one to be there.
#pragma once

#include <string>

#include "module/commands/argument_reader.h"
#include "module/host/log_type.h"

namespace millrace::module {

struct OpenedGroup {
  LogKey key;
  Log* log;
  Group* group;

  // Failure: WrongType, or NoGroup if there is no such log or no such group in it.
  static Result<OpenedGroup> open(Result<LogKey> key, abi::StringRef key_name, ByteView name) {
    if (!key) return std::unexpected(key.error());
    Log* log = key->get();
    Group* group = log == nullptr ? nullptr : log->group(name);
    if (group == nullptr) {
      return fail(ErrorCode::NoGroup, "no group " + quoted(name) + " in the log " + quoted(key_name.view()));
    }
    return OpenedGroup{std::move(*key), log, group};
  }
};

}  // namespace millrace::module
