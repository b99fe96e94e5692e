// The keys of a document in an order of several fields.
#pragma once

#include <string>
#include <vector>

#include "engine/index/document_values.h"
#include "engine/index/index_schema.h"

namespace millrace {

// The keys, sorted. There are several if a field has several values, and none if a field has no value or if there would
// be more than kMaxValuesOfField.
std::vector<std::string> composite_keys(const CompositeOrder& order, const DocumentValues& values);
// True if there would be more than kMaxValuesOfField.
bool has_too_many_keys(const CompositeOrder& order, const DocumentValues& values);

}  // namespace millrace
