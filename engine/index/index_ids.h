// The ids of an index's parts.
#pragma once

#include "engine/base/strong_id.h"

namespace millrace {

// A document of an index. It is given to another one when its document has gone.
using DocumentId = StrongId<struct DocumentIdName>;

// A field or a composite order of an index: both have ids from one sequence, which are never used twice. 0 stands for
// the date at which a document expires.
using OrderId = StrongId<struct OrderIdName>;
inline constexpr OrderId kExpiryOrder{0};

}  // namespace millrace
