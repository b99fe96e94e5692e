// Commands that empty, stop or rearrange a server: they have no business in an input that loads
// data, and are refused unless the user allows them.
#pragma once

#include "client/connection.h"

namespace millrace::client {

// REQUIRES: at least one word.
bool is_dangerous(Words words);

// Whether a command of this name can be dangerous, depending on the next word.
bool may_be_dangerous(std::string_view name);

// Whether the server ends and so does not answer if it obeys. REQUIRES: at least one word.
bool ends_the_server(Words words);

}  // namespace millrace::client
