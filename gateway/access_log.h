// One line on the standard output for each answer.
#pragma once

#include <string>

#include "gateway/http/request.h"
#include "gateway/http/response.h"
#include "gateway/loop/event_loop.h"

namespace millrace::gateway {

// Without the query, which may contain a ticket.
void write_access(bool as_json, const Request& request, const std::string& peer, const Response& response,
                  Milliseconds took);

}  // namespace millrace::gateway
