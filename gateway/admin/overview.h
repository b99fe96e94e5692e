// /v1/admin/overview: what the server is doing, and what needs a person, first.
#pragma once

#include "gateway/http/exchange.h"
#include "gateway/loop/task.h"
#include "gateway/routes/services.h"

namespace millrace::gateway {

Task<Response> show_overview(Services& services, ExchangePtr exchange);

}  // namespace millrace::gateway
