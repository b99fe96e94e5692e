// How the runtime handles keys with an index.
#pragma once

#include <optional>

#include "engine/index/index_operations.h"
#include "module/abi/context.h"
#include "module/index/index_registry.h"
#include "module/index/index_type.h"
#include "module/runtime/key_place.h"
#include "module/runtime/object_traits.h"

namespace millrace::module {

// The operations object of this server.
IndexOperations& index_operations();

template <>
struct ObjectTraits<Index> {
  static constexpr const char* kApply = kApplyToIndex;
  static constexpr bool kWaits = false;

  static Now now() { return {.wall = abi::now(), .monotonic = {}, .clock_id = 0, .served = {}, .served_period = 0}; }
  static void settle(KeyPlace<Index>& place, const Consequences& follow);
};

// Background work on indexes in slices, also on replicas: reading documents that existed before an index, comparing an
// index with its documents, and removing documents that have expired.
namespace index_upkeep {

// Called when there may be work to do.
void resume();
// Called when a document may have got an expiry date.
void see_to_dates(const RegisteredIndex& registered);
// Begins to read the documents of the index again, unless other work on it is in progress. Queries go on meanwhile.
void begin_refresh(RegisteredIndex& registered);
// Begins to compare an index with its documents, unless other work on it is in progress, and does the first slice.
void begin_check(abi::Context context, RegisteredIndex& registered, bool repairs);
// Does a slice of the work on this index.
void work_on(abi::Context context, RegisteredIndex& registered);

}  // namespace index_upkeep

}  // namespace millrace::module
