// The audit log: a Millrace log with an entry for each change that was requested through the console's API.
#pragma once

#include <string>
#include <string_view>

#include "gateway/http/exchange.h"
#include "gateway/loop/task.h"
#include "gateway/routes/services.h"

namespace millrace::gateway {

// Whether the request would change the audit log itself.
bool is_audit_log(const Services& services, const Exchange& exchange);

// False: it could not be written.
Task<bool> note_in_audit_log(Services& services, ExchangePtr exchange, std::string_view action, int status);

// The display name of the calling user.
std::string name_of_caller(const Exchange& exchange);

}  // namespace millrace::gateway
