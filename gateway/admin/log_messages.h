// Messages and groups of a log as the console shows them.
#pragma once

#include "gateway/http/exchange.h"
#include "gateway/loop/task.h"
#include "gateway/routes/services.h"

namespace millrace::gateway {

// A page of messages: from an offset, or from a time, forwards or backwards.
Task<Response> read_messages(Services& services, ExchangePtr exchange);
// One message, complete up to kMostWhole bytes.
Task<Response> read_message(Services& services, ExchangePtr exchange);
// One group of TGROUP LIST.
Task<Response> read_group(Services& services, ExchangePtr exchange);
Task<Response> seek_group(Services& services, ExchangePtr exchange);

}  // namespace millrace::gateway
