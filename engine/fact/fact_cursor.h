// Where a page of facts ended, as text for the client to bring back: the numbers of the names of the last fact.
//
//   17-3-40
//
// A fact keeps its place as long as it is there, and a place stays one when its fact has gone: so pages have nothing
// twice, and miss no fact that is there from the first page to the last.
#pragma once

#include <optional>
#include <string>

#include "engine/base/bytes.h"
#include "engine/fact/fact_order.h"

namespace millrace {

std::string fact_cursor(const Fact& last);
// Nothing if it is no cursor.
std::optional<Fact> parse_fact_cursor(ByteView text);

}  // namespace millrace
