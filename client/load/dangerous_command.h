// Commands that empty, stop or rearrange a server: they do not belong in an input that loads data, and are refused
// unless the user allows them.
#pragma once

#include "client/connection.h"

namespace millrace::client {

// REQUIRES: at least one word.
bool is_dangerous(Words words);

// Whether a command of this name can be dangerous, depending on the next word.
bool may_be_dangerous(std::string_view name);

// Whether the command ends the server, so that it does not answer. REQUIRES: at least one word.
bool ends_the_server(Words words);

}  // namespace millrace::client
