#include "module/suggest/suggest_type.h"

#include "module/runtime/reclaim.h"

namespace millrace::abi {

void TypeTraits<TermDictionary>::release(TermDictionary& dictionary) { module::reclaim_parts(dictionary); }

}  // namespace millrace::abi
