// Conditions as ranges of the keys of their field.
#pragma once

#include "engine/base/error.h"
#include "engine/index/index_keys.h"
#include "engine/index/index_requests.h"
#include "engine/index/index_schema.h"

namespace millrace {

// The ranges that a condition allows. Failure: Range, if an operand does not fit the field.
Result<KeyRanges> ranges_of_condition(const IndexField& field, const FieldCondition& condition);

// True if the ranges contain exactly one value of the field. The range of a PREFIX looks similar, but is not a whole
// key.
bool is_point(const IndexField& field, const KeyRanges& ranges);

}  // namespace millrace
