// How the runtime handles keys with a dictionary of terms.
#pragma once

#include "engine/suggest/suggest_operations.h"
#include "module/runtime/key_place.h"
#include "module/runtime/object_traits.h"
#include "module/suggest/suggest_type.h"

namespace millrace::module {

// The operations object of this server.
SuggestOperations& suggest_operations();

template <>
struct ObjectTraits<TermDictionary> {
  static constexpr const char* kApply = kApplyToSuggestions;
  static constexpr bool kWaits = false;

  // A dictionary has no time.
  static Now now() { return {}; }
};

}  // namespace millrace::module
