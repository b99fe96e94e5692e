// Bytes as the whole engine passes them: a borrowed view, binary-safe.
#pragma once

#include <string_view>

namespace millrace {

// Borrowed bytes. Whoever hands one out says how long they live.
using ByteView = std::string_view;

}  // namespace millrace
