// /v1/admin: what the console shows and does. The rows are tables (admin_row.h): keys_rows.cc and its neighbours.
#pragma once

#include <span>
#include <vector>

#include "gateway/admin/admin_row.h"
#include "gateway/routes/router.h"

namespace millrace::gateway {

const std::vector<Route>& console_routes();

// What an admin route answers, for one that is looked at again and again: no audit, GET only.
Task<Response> look_at(Services& services, ExchangePtr exchange);

// The tables.
std::span<const AdminRow> log_rows();
std::span<const AdminRow> type_rows();
std::span<const AdminRow> server_rows();

}  // namespace millrace::gateway
