// The end of a page of facts, as text that the client sends back: the numbers of the names of the last fact.
//
//   17-3-40
//
// The position of a fact in the order never changes, and a cursor stays valid when its fact is deleted. So no fact is
// on two pages, and every fact that exists from the first page to the last is on one of them.
#pragma once

#include <optional>
#include <string>

#include "engine/base/bytes.h"
#include "engine/fact/fact_order.h"

namespace millrace {

std::string fact_cursor(const Fact& last);
// nullopt if the text is not a cursor.
std::optional<Fact> parse_fact_cursor(ByteView text);

}  // namespace millrace
