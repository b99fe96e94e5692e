// How the whole engine passes bytes: as a borrowed view, which may contain any bytes.
#pragma once

#include <string_view>

namespace millrace {

// Borrowed bytes. Each function that returns them documents how long they live.
using ByteView = std::string_view;

}  // namespace millrace
