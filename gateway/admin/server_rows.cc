#include "gateway/admin/admin_routes.h"
#include "gateway/admin/gateways.h"
#include "gateway/admin/key_pages.h"
#include "gateway/admin/live.h"
#include "gateway/admin/overview.h"
#include "gateway/admin/server_views.h"

namespace millrace::gateway {
namespace {

constexpr AdminRow kServerRows[] = {
    {.method = "GET",
     .path = "/me",
     .summary = "Who asks, what they may do, and before which server",
     .handler = show_me,
     .answer = "name:string may:array gateway:string version:string server:object"},
    {.method = "GET",
     .path = "/live",
     .summary = "Looks at up to 4 paths once a second, and sends what differs as text/event-stream",
     .handler = open_live,
     .parameters = "path"},
    {.method = "GET",
     .path = "/overview",
     .summary = "Rates, totals, an hour of curves, and what needs a person",
     .handler = show_overview,
     .parameters = "history",
     .answer = "now:integer uptime:integer rates:object totals:object sweep:object needs:array history?:object"},
    {.method = "GET",
     .path = "/keys",
     .summary = "Keys of our types with their figures",
     .handler = list_keys,
     .parameters = "type search order count cursor",
     .answer = "items:array cursor?:string total:integer"},
    {.method = "GET",
     .path = "/lock-waits",
     .summary = "Who waits for locks, the longest first, and circles of waits",
     .handler = show_lock_waits,
     .parameters = "count",
     .answer = "waiting:integer items:array cycles:array"},
    {.method = "DELETE",
     .path = "/keys/{key}",
     .summary = "Deletes a key of one of our types",
     .handler = delete_key,
     .right = Right::Write,
     .action = "delete-key",
     .answer = "deleted:integer"},
    {.method = "GET",
     .path = "/gateways",
     .summary = "Gateways before this server",
     .handler = list_gateways,
     .answer = "items:array"},
    {.method = "GET",
     .path = "/gateways/{gateway}/connections",
     .summary = "Connections of a gateway",
     .handler = list_connections,
     .parameters = "search count cursor",
     .answer = "items:array cursor?:string"},
    {.method = "DELETE",
     .path = "/gateways/{gateway}/connections/{id}",
     .summary = "Ends a connection of a gateway",
     .handler = disconnect,
     .right = Right::Write,
     .action = "disconnect",
     .answer = "ended:integer"},
    {.method = "POST",
     .path = "/revoke",
     .summary = "Revokes a token, and ends the streams that were opened with it",
     .handler = revoke_token,
     .right = Right::Write,
     .action = "revoke",
     .answer = "jti:string exp:integer ended:integer"},
    {.method = "GET",
     .path = "/audit",
     .summary = "What was done by consoles, newest first",
     .handler = show_audit_log,
     .parameters = "count cursor",
     .answer = "items:array cursor?:string"},
};

}  // namespace

std::span<const AdminRow> server_rows() { return kServerRows; }

}  // namespace millrace::gateway
