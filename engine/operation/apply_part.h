// A part of a saved object (engine/base/parts.h) that arrives as a separate request, from an append-only file or a
// client.
#pragma once

#include <optional>
#include <utility>

#include "engine/operation/outcome.h"
#include "engine/operation/place.h"

namespace millrace {

// Calls restore(object) for the object in its place, or for a new one from make(), which is stored only if the part is
// valid. Failure: that of restore(), without any change.
template <class Object, class Make, class Restore>
Outcome<Done> apply_part(Place<Object>& place, Make make, Restore restore, const char* event) {
  std::optional<Object> made;
  if (place.get() == nullptr) made.emplace(make());
  if (const Result<void> restored = restore(made ? *made : *place.get()); !restored) {
    return std::unexpected(restored.error());
  }
  if (made) place.put(std::move(*made));
  return {Done(), Consequences::of_request(event)};
}

}  // namespace millrace
