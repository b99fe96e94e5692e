#include "module/fact/fact_object.h"

namespace millrace::module {

FactOperations& fact_operations() {
  static FactOperations operations(hash_key(), fact_limits());
  return operations;
}

}  // namespace millrace::module
