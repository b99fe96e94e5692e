#include "module/lock/lock_object.h"

#include <utility>

#include "module/lock/token_file.h"

namespace millrace::module {

LockOperations& lock_operations() {
  static LockOperations operations = [] {
    FencingTokens tokens(keep_token_mark);
    tokens.start_from(kept_token_mark());
    return LockOperations(std::move(tokens));
  }();
  return operations;
}

}  // namespace millrace::module
