// /v1/admin: what the console shows and does. The rows are tables (admin_row.h): keys_rows.cc and its neighbours.
#pragma once

#include <span>
#include <vector>

#include "gateway/admin/admin_row.h"
#include "gateway/routes/router.h"

namespace millrace::gateway {

const std::vector<Route>& console_routes();

// The answer of an admin route for the live stream, which asks again and again: GET only, and not audited.
Task<Response> look_at(Services& services, ExchangePtr exchange);

// The tables.
std::span<const AdminRow> log_rows();
std::span<const AdminRow> type_rows();
std::span<const AdminRow> server_rows();

}  // namespace millrace::gateway
