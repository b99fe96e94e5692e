// The dictionary of terms as a key type of the host.
#pragma once

#include "engine/suggest/suggest_parts.h"
#include "module/abi/data_type.h"
#include "module/runtime/type_in_parts.h"

namespace millrace::module {

// The command that carries effects to replicas and the AOF.
inline constexpr const char* kApplyToSuggestions = "SUG.APPLY";

}  // namespace millrace::module

namespace millrace::abi {

template <>
struct TypeTraits<TermDictionary> : module::TypeInParts<TermDictionary> {
  static constexpr const char* kName = "millr-sug";
  static constexpr int kEncodingVersion = 1;
  static constexpr module::SavedType kSaved{"dictionary of terms", "suggest", module::kApplyToSuggestions,
                                            kSuggestParts};
  static SuggestRestorer restorer() { return {}; }
  static void release(TermDictionary& dictionary);
  static uint64_t free_effort(const TermDictionary& dictionary) { return dictionary.parts(); }
};

}  // namespace millrace::abi
