// The ids of an index's parts.
#pragma once

#include "engine/base/strong_id.h"

namespace millrace {

// A document of an index. The id is reused after the document is removed.
using DocumentId = StrongId<struct DocumentIdName>;

// A field or a composite order of an index: both have ids from one sequence, which are never reused. 0 is the order of
// expiry dates.
using OrderId = StrongId<struct OrderIdName>;
inline constexpr OrderId kExpiryOrder{0};

}  // namespace millrace
