// The dictionary of terms as the runtime knows it.
#pragma once

#include "engine/suggest/suggest_operations.h"
#include "module/runtime/key_place.h"
#include "module/runtime/object_traits.h"
#include "module/suggest/suggest_type.h"

namespace millrace::module {

// This server's.
SuggestOperations& suggest_operations();

template <>
struct ObjectTraits<TermDictionary> {
  static constexpr const char* kApply = kApplyToSuggestions;
  static constexpr bool kWaits = false;

  // A dictionary has no time.
  static Now now() { return {}; }
};

}  // namespace millrace::module
