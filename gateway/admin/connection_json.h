// A connection as the console shows it.
#pragma once

#include <string>

#include "gateway/http/http_connection.h"

namespace millrace::gateway {

// Whether the text is part of its user, address or path, or equals its token.
bool names_connection(const HttpConnection& connection, std::string_view text);
std::string connection_json(const HttpConnection& connection, size_t loop, Moment now);

}  // namespace millrace::gateway
