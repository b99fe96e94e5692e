#include "module/fact/fact_type.h"

#include "module/runtime/reclaim.h"

namespace millrace::abi {

void TypeTraits<FactGraph>::release(FactGraph& graph) { module::reclaim_parts(graph); }

}  // namespace millrace::abi
