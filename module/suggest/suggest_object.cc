#include "module/suggest/suggest_object.h"

namespace millrace::module {

SuggestOperations& suggest_operations() {
  static SuggestOperations operations;
  return operations;
}

}  // namespace millrace::module
