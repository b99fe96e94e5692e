// /v1/admin/overview: problems that need a person, and the state of the server.
#pragma once

#include "gateway/http/exchange.h"
#include "gateway/loop/task.h"
#include "gateway/routes/services.h"

namespace millrace::gateway {

Task<Response> show_overview(Services& services, ExchangePtr exchange);

}  // namespace millrace::gateway
