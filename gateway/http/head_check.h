// What is wrong with the head of a request before any parser sees it. Two programs that read the same bytes differently
// let one client's bytes pass as another's request; so whatever allows two readings is refused: a line that does not
// end with CR LF, a header that goes on in the next line, blanks before a colon, two lengths, a length and chunks, an
// encoding that is not just "chunked", two hosts.
#pragma once

#include <string_view>

namespace millrace::gateway {

// `head` is everything up to the empty line, which is part of it. Empty: nothing is wrong.
std::string_view wrong_with_head(std::string_view head);

}  // namespace millrace::gateway
