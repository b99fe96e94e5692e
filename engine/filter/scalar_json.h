// Scalars as JSON. Each value has exactly one form, since ids of filters depend on it.
#pragma once

#include <string>

#include "engine/filter/scalar.h"

namespace millrace {

// REQUIRES: not Nested
void append_json(std::string& to, const ScalarView& value);

}  // namespace millrace
