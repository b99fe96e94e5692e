// The index as the runtime knows it.
#pragma once

#include <optional>

#include "engine/index/index_operations.h"
#include "module/abi/context.h"
#include "module/index/index_registry.h"
#include "module/index/index_type.h"
#include "module/runtime/key_place.h"
#include "module/runtime/object_traits.h"

namespace millrace::module {

// This server's.
IndexOperations& index_operations();

template <>
struct ObjectTraits<Index> {
  static constexpr const char* kApply = kApplyToIndex;
  static constexpr bool kWaits = false;

  static Now now() { return {.wall = abi::now(), .monotonic = {}, .clock_id = 0, .served = {}, .served_period = 0}; }
  static void settle(KeyPlace<Index>& place, const Consequences& follow);
};

// What is done to indexes in slices, on replicas too: reading documents that were there before an index, comparing an
// index with its documents, and taking out documents whose date of expiry is over.
namespace index_upkeep {

// There may be something to do.
void resume();
// A document may have got a date.
void see_to_dates(const RegisteredIndex& registered);
// Begins to compare an index with its documents, if nothing else is done to it, and does a slice of it.
void begin_check(abi::Context context, RegisteredIndex& registered, bool repairs);
// Does a slice of what is to be done to this index.
void work_on(abi::Context context, RegisteredIndex& registered);

}  // namespace index_upkeep

}  // namespace millrace::module
