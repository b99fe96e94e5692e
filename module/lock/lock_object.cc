#include "module/lock/lock_object.h"

namespace millrace::module {

LockOperations& lock_operations() {
  static LockOperations operations;
  return operations;
}

}  // namespace millrace::module
