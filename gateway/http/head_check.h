// Checks the head of a request before it is parsed, against request smuggling: if two programs read the same bytes
// differently, a part of one client's request can pass as another request. So everything that can be read in two ways
// is refused: a line that does not end with CR LF, a header that continues on the next line, blanks before a colon, two
// lengths, a length and chunks, an encoding other than "chunked" alone, two hosts.
#pragma once

#include <string_view>

namespace millrace::gateway {

// `head` is everything up to and including the empty line. Returns what is wrong; empty: nothing.
std::string_view wrong_with_head(std::string_view head);

}  // namespace millrace::gateway
