// How the runtime handles keys with a graph of facts.
#pragma once

#include "engine/fact/fact_operations.h"
#include "module/fact/fact_type.h"
#include "module/runtime/key_place.h"
#include "module/runtime/object_traits.h"

namespace millrace::module {

// The operations object of this server. Its limits follow the settings.
FactOperations& fact_operations();
// Declared here and defined in module/settings.cc.
const FactLimits& fact_limits();

template <>
struct ObjectTraits<FactGraph> {
  static constexpr const char* kApply = kApplyToFacts;
  static constexpr bool kWaits = false;

  // A graph has no time.
  static Now now() { return {}; }
};

}  // namespace millrace::module
