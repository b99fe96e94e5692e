// Answers that several routes give.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "client/error.h"
#include "client/reply.h"
#include "gateway/http/response.h"
#include "gateway/upstream/link.h"

namespace millrace::gateway {

// JSON with a line end behind it.
Response json_response(std::string json, int status = 200);

// 503 with Retry-After: the server, or we, cannot serve it now.
Response unavailable(std::string_view why);

// What to answer if the server could not be asked, or refused. Nothing: it answered.
std::optional<Response> failure_of(const Answer& answer);

// The first word of an error of the server: "NOSUB".
std::string_view error_code(const client::Reply& reply);

// Any bytes as a header may carry them: escaped as in a JSON string.
std::string header_text(std::string_view text);

// A whole number within these bounds.
std::optional<int64_t> parse_number(std::string_view text, int64_t least, int64_t most);

}  // namespace millrace::gateway
