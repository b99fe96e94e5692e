// A whole log as effects. Applied in this order to an empty place (LogOperations::apply), they make an equal log: what
// an append-only file holds after it was rewritten, and a snapshot of a program that keeps logs itself.
#pragma once

#include <functional>

#include "engine/log/log.h"
#include "engine/log/log_requests.h"

namespace millrace {

// The views of an effect live until the call returns.
void each_part(const Log& log, const std::function<void(const LogEffect&)>& visit);

}  // namespace millrace
