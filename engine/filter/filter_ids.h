// The ids of the filter engine. Both are reused after the field or filter is removed.
#pragma once

#include "engine/base/strong_id.h"

namespace millrace {

// A field that some filter of a channel looks at; see Fields.
using FieldId = StrongId<struct FieldIdName>;

// A filter in a FilterIndex.
using FilterSlot = StrongId<struct FilterSlotName>;

}  // namespace millrace
