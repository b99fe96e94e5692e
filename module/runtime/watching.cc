#include "module/runtime/watching.h"

#include "module/runtime/hash_key.h"

namespace millrace::module {

WatchedKeys& watched_keys() {
  // Never destroyed, as its watchers are not either.
  static auto& keys = *new WatchedKeys(hash_key());
  return keys;
}

}  // namespace millrace::module
