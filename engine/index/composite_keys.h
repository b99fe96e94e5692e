// The keys of a document in an order of several fields.
#pragma once

#include <string>
#include <vector>

#include "engine/index/document_values.h"
#include "engine/index/index_schema.h"

namespace millrace {

// Sorted. Several if a field has several values; none if a field has
// none, or if they would be more than kMaxValuesOfField.
std::vector<std::string> composite_keys(const CompositeOrder& order, const DocumentValues& values);
// True if they would be more.
bool has_too_many_keys(const CompositeOrder& order, const DocumentValues& values);

}  // namespace millrace
