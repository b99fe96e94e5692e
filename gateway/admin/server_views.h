// What the console shows of the server as a whole.
#pragma once

#include "gateway/http/exchange.h"
#include "gateway/loop/task.h"
#include "gateway/routes/services.h"

namespace millrace::gateway {

Task<Response> show_me(Services& services, ExchangePtr exchange);
Task<Response> show_lock_waits(Services& services, ExchangePtr exchange);
Task<Response> delete_key(Services& services, ExchangePtr exchange);
Task<Response> show_audit_log(Services& services, ExchangePtr exchange);

}  // namespace millrace::gateway
