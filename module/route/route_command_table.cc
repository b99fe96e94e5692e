#include "module/route/route_changes.h"
#include "module/route/route_commands.h"
#include "module/route/route_dispatch.h"
#include "module/route/route_shows.h"
#include "module/runtime/command_rows.h"
#include "module/runtime/container_help.h"

namespace millrace::module {

namespace {

constexpr ArgumentDoc kTable{.name = "table", .kind = Key};
constexpr ArgumentDoc kDevice{.name = "device-and-transport"};
constexpr ArgumentDoc kTtl{.name = "milliseconds", .kind = Integer, .token = "TTL", .flags = kOptional};
constexpr ArgumentDoc kCount{.name = "count", .kind = Integer, .token = "COUNT", .flags = kOptional};
constexpr ArgumentDoc kCursor{.name = "cursor", .kind = Integer, .token = "CURSOR", .flags = kOptional};

// --- channels ---
constexpr ArgumentDoc kApp{.name = "app", .token = "APP"};
constexpr ArgumentDoc kModel{.name = "model", .token = "MODEL"};
constexpr ArgumentDoc kUser{.name = "user", .token = "USER", .flags = kOptional};
constexpr ArgumentDoc kId{.name = "id", .token = "ID", .flags = kOptional};
constexpr ArgumentDoc kPatterns[] = {kApp, kModel, kUser, kId};
constexpr ArgumentDoc kPartition[] = {{.name = "channel"},
                                      {.name = "count", .kind = Integer, .token = "PARTITIONS", .flags = kOptional}};

// --- devices ---
constexpr ArgumentDoc kDeviceSet[] = {
    kTable, kDevice, kUser, {.name = "text", .token = "AGENT", .flags = kOptional}, kTtl};
constexpr ArgumentDoc kFull[] = {{.name = "full", .kind = PureToken, .token = "FULL"}, kCount, kCursor};
constexpr ArgumentDoc kDeviceGet[] = {
    kTable, kDevice, {.name = "lists", .kind = Block, .flags = kOptional, .parts = kFull}};
constexpr ArgumentDoc kDeviceTouch[] = {kTable, {.name = "device-and-transport", .flags = kMultiple}};
constexpr ArgumentDoc kDeviceMove[] = {kTable, kDevice, {.name = "new-device-and-transport"}};
constexpr ArgumentDoc kOfTransport[] = {{.name = "transport", .token = "TRANSPORT"}, kCount};
constexpr ArgumentDoc kDeleted[] = {kDevice, {.name = "of-transport", .kind = Block, .parts = kOfTransport}};
constexpr ArgumentDoc kDeviceDel[] = {kTable, {.name = "deleted", .kind = OneOf, .parts = kDeleted}};
constexpr ArgumentDoc kDeviceList[] = {
    kTable, {.name = "transport", .token = "TRANSPORT", .flags = kOptional}, kUser, kCount, kCursor};

// --- subscriptions and filters ---
constexpr ArgumentDoc kFilters[] = {{.name = "json", .token = "FILTER"}, {.name = "filter-id", .token = "FILTERID"}};
constexpr ArgumentDoc kFilter{.name = "filter", .kind = OneOf, .flags = kOptional, .parts = kFilters};
constexpr ArgumentDoc kSubscribe[] = {
    kTable,  kDevice, kApp,
    kModel,  kUser,   kId,
    kFilter, kTtl,    {.name = "xx", .kind = PureToken, .token = "XX", .flags = kOptional}};
constexpr ArgumentDoc kUnsubscribe[] = {kTable, kDevice, kApp, kModel, kUser, kId, kFilter};
constexpr ArgumentDoc kSetFilter[] = {kTable, {.name = "filter-id"}, {.name = "json"}, kApp, kModel, kUser, kId};
constexpr ArgumentDoc kDelFilter[] = {kTable, {.name = "filter-id"}, kApp, kModel, kUser, kId};
constexpr ArgumentDoc kListFilters[] = {kTable, kApp, kModel, kUser, kId, kCount, kCursor};
constexpr ArgumentDoc kListSubscribers[] = {kTable, kApp,
                                            kModel, kUser,
                                            kId,    {.name = "filter-id", .token = "FILTERID", .flags = kOptional},
                                            kCount, {.name = "cursor", .token = "CURSOR", .flags = kOptional}};
constexpr ArgumentDoc kAllQueues[] = {{.name = "all", .kind = PureToken, .token = "*"}, {.name = "prefix"}};
constexpr ArgumentDoc kPresences[] = {{.name = "queues", .kind = Block, .token = "QUEUES", .parts = kAllQueues},
                                      {.name = "off", .kind = PureToken, .token = "OFF"}};
constexpr ArgumentDoc kPresence[] = {kTable, {.name = "where", .kind = OneOf, .flags = kOptional, .parts = kPresences}};

// --- changes ---
constexpr ArgumentDoc kDocument{.name = "document", .token = "DOC", .flags = kOptional};
constexpr ArgumentDoc kOld{.name = "old-document", .token = "OLD", .flags = kOptional};
constexpr ArgumentDoc kLimit{.name = "limit", .kind = Integer, .token = "LIMIT", .flags = kOptional};
constexpr ArgumentDoc kAfter{.name = "cursor", .kind = Integer, .token = "AFTER", .flags = kOptional};
constexpr ArgumentDoc kMatch[] = {
    kTable, kApp,      kModel, kUser,
    kId,    kDocument, kOld,   {.name = "withchannels", .kind = PureToken, .token = "WITHCHANNELS", .flags = kOptional},
    kLimit, kAfter};
constexpr ArgumentDoc kQueue[] = {{.name = "transport"}, {.name = "log", .kind = Key}};
constexpr ArgumentDoc kQueues[] = {{.name = "queue", .kind = Block, .flags = kMultiple, .parts = kQueue},
                                   {.name = "every-queue", .kind = Block, .parts = kAllQueues}};
constexpr ArgumentDoc kDispatch[] = {kTable,
                                     kApp,
                                     kModel,
                                     kUser,
                                     kId,
                                     kDocument,
                                     kOld,
                                     {.name = "event", .token = "EVENT"},
                                     {.name = "unique-id", .token = "ID", .flags = kOptional},
                                     {.name = "origin", .token = "ORIGIN", .flags = kOptional},
                                     {.name = "data", .token = "DATA", .flags = kOptional},
                                     kLimit,
                                     kAfter,
                                     {.name = "queues", .kind = OneOf, .token = "QUEUES", .parts = kQueues}};
constexpr ArgumentDoc kInfo[] = {kTable};
constexpr ArgumentDoc kEffects[] = {{.name = "unix-time-milliseconds", .kind = UnixTime, .token = "CLOCK"},
                                    {.name = "part", .token = "PART"},
                                    {.name = "devices", .token = "GONE"},
                                    {.name = "dispatch", .token = "DISPATCHED"}};
constexpr ArgumentDoc kEffect[] = {kTable, {.name = "effect", .kind = OneOf, .parts = kEffects}};

constexpr abi::Command kCommands[] = {
    {
        .name = "ROUTE.DEVICE",
        .flags = "",
        .key_flags = 0,
        .arity = -2,
        .summary = "The devices of a routing table.",
        .complexity = "Depends on the subcommand.",
        .since = kSince,
        .arguments = {},
        .callback = nullptr,
    },
    {
        .name = "ROUTE.DEVICE SET",
        .flags = "write deny-oom fast",
        .key_flags = abi::kKeyReadWrite | abi::kKeyInsert,
        .arity = -4,
        .summary = "Adds a device, or renews it; what is not named stays. Returns 1 for a new one, else 0.",
        .complexity = "O(1).",
        .since = kSince,
        .arguments = kDeviceSet,
        .callback = subcommand<run<RouteDeviceSet>>,
    },
    {
        .name = "ROUTE.DEVICE GET",
        .flags = "readonly",
        .key_flags = abi::kKeyReadOnly | abi::kKeyAccess,
        .arity = -4,
        .summary = "Describes a device; FULL lists what it has subscribed to. Null if there is none.",
        .complexity = "O(N) with N subscriptions of the device.",
        .since = kSince,
        .arguments = kDeviceGet,
        .callback = subcommand<run<RouteDeviceGet>>,
    },
    {
        .name = "ROUTE.DEVICE TOUCH",
        .flags = "write fast",
        .key_flags = abi::kKeyReadWrite | abi::kKeyUpdate,
        .arity = -4,
        .summary = "Renews devices and their subscriptions; returns how many of them there are.",
        .complexity = "O(N) with N devices.",
        .since = kSince,
        .arguments = kDeviceTouch,
        .callback = subcommand<run<RouteDeviceTouch>>,
    },
    {
        .name = "ROUTE.DEVICE MOVE",
        .flags = "write fast",
        .key_flags = abi::kKeyReadWrite | abi::kKeyUpdate,
        .arity = 5,
        .summary = "Gives a device another id or transport, in one step; returns how many subscriptions moved with it.",
        .complexity = "O(1).",
        .since = kSince2,
        .arguments = kDeviceMove,
        .callback = subcommand<run<RouteDeviceMove>>,
    },
    {
        .name = "ROUTE.DEVICE DEL",
        .flags = "write",
        .key_flags = abi::kKeyReadWrite | abi::kKeyDelete,
        .arity = -4,
        .summary =
            "Removes a device and its subscriptions, and returns how many of these there were; or removes devices "
            "of a transport, and returns how many.",
        .complexity = "O(N) with N subscriptions, up to 1000 of them; the others are freed in slices. O(COUNT) for a "
                      "transport.",
        .since = kSince,
        .arguments = kDeviceDel,
        .callback = subcommand<run<RouteDeviceDel>>,
    },
    {
        .name = "ROUTE.DEVICE LIST",
        .flags = "readonly",
        .key_flags = abi::kKeyReadOnly | abi::kKeyAccess,
        .arity = -3,
        .summary = "Lists devices in portions, as SCAN does: the next cursor, 0 at the end, and those found.",
        .complexity = "O(COUNT).",
        .since = kSince,
        .arguments = kDeviceList,
        .callback = subcommand<run<RouteDeviceList>>,
    },
    help_row("ROUTE.DEVICE HELP"),
    {
        .name = "ROUTE.SUBSCRIBE",
        .flags = "write deny-oom",
        .key_flags = abi::kKeyReadWrite | abi::kKeyInsert,
        .arity = -7,
        .summary = "Subscribes a device to a channel, with a filter or to everything; returns the channel and the "
                   "filter's id.",
        .complexity = "O(N) with N bytes of the filter.",
        .since = kSince,
        .arguments = kSubscribe,
        .callback = callback<run<RouteSubscribe>>,
    },
    {
        .name = "ROUTE.UNSUBSCRIBE",
        .flags = "write",
        .key_flags = abi::kKeyReadWrite | abi::kKeyDelete,
        .arity = -7,
        .summary = "Ends a subscription; returns 1, or 0 if there is none.",
        .complexity = "O(N) with N bytes of the filter.",
        .since = kSince,
        .arguments = kUnsubscribe,
        .callback = callback<run<RouteUnsubscribe>>,
    },
    {
        .name = "ROUTE.MATCH",
        .flags = "readonly",
        .key_flags = abi::kKeyReadOnly | abi::kKeyAccess,
        .arity = -6,
        .summary = "Returns the devices that must hear of a change, by transport; with OLD, what it means to each.",
        .complexity = "O(N+M) with N bytes of the documents and M devices found; filters that demand other values "
                      "or ranges are not looked at.",
        .since = kSince,
        .arguments = kMatch,
        .callback = callback<run<RouteMatch>>,
    },
    {
        .name = "ROUTE.DISPATCH",
        .flags = "write deny-oom",
        .key_flags = abi::kKeyReadOnly | abi::kKeyAccess | abi::kOtherKeys,
        .arity = -11,
        .summary = "Writes a change to a log for each transport whose devices must hear of it.",
        .complexity = "O(N+M+L) as ROUTE.MATCH, with L logs.",
        .since = kSince,
        .arguments = kDispatch,
        .callback = callback_with_keys<run<RouteDispatch>, route_dispatch_logs>,
    },
    {
        .name = "ROUTE.SETFILTER",
        .flags = "write deny-oom",
        .key_flags = abi::kKeyReadWrite | abi::kKeyInsert,
        .arity = -8,
        .summary = "Names a filter of a channel, or replaces it for all subscriptions to the name.",
        .complexity = "O(N) with N bytes of the filter.",
        .since = kSince,
        .arguments = kSetFilter,
        .callback = callback<run<RouteSetfilter>>,
    },
    {
        .name = "ROUTE.DELFILTER",
        .flags = "write",
        .key_flags = abi::kKeyReadWrite | abi::kKeyDelete,
        .arity = -7,
        .summary = "Removes a filter by its name or id, and its subscriptions; returns how many of these there were, "
                   "null if there is no such filter.",
        .complexity = "O(N) with N subscriptions, up to 1000 of them; the others are freed in slices.",
        .since = kSince,
        .arguments = kDelFilter,
        .callback = callback<run<RouteDelfilter>>,
    },
    {
        .name = "ROUTE.FILTERS",
        .flags = "readonly",
        .key_flags = abi::kKeyReadOnly | abi::kKeyAccess,
        .arity = -6,
        .summary =
            "Lists the filters of a channel in portions, as SCAN does: the next cursor, 0 at the end, and id and "
            "normal form of each.",
        .complexity = "O(COUNT).",
        .since = kSince,
        .arguments = kListFilters,
        .callback = callback<run<RouteFilters>>,
    },
    {
        .name = "ROUTE.SUBSCRIBERS",
        .flags = "readonly",
        .key_flags = abi::kKeyReadOnly | abi::kKeyAccess,
        .arity = -6,
        .summary = "Lists the subscriptions to a channel in portions, as SCAN does: the next cursor, 0 at the end, and "
                   "device and filter of each.",
        .complexity = "O(COUNT).",
        .since = kSince2,
        .arguments = kListSubscribers,
        .callback = callback<run<RouteSubscribers>>,
    },
    {
        .name = "ROUTE.PRESENCE",
        .flags = "write deny-oom",
        .key_flags = abi::kKeyReadWrite | abi::kKeyUpdate,
        .arity = -2,
        .summary =
            "Says to which logs the coming and going of devices is dispatched, or to none; returns their prefix.",
        .complexity = "O(1).",
        .since = kSince2,
        .arguments = kPresence,
        .callback = callback<run<RoutePresence>>,
    },
    {
        .name = "ROUTE.PATTERNS",
        .flags = "readonly fast",
        .key_flags = 0,
        .arity = -5,
        .summary = "Returns the channels on which a change of an object is heard.",
        .complexity = "O(1).",
        .since = kSince,
        .arguments = kPatterns,
        .callback = callback<route_patterns>,
    },
    {
        .name = "ROUTE.PARTITION",
        .flags = "readonly fast",
        .key_flags = 0,
        .arity = -2,
        .summary = "Returns the partition of a channel: its CRC32 modulo the number of partitions, 1024 by default.",
        .complexity = "O(1).",
        .since = kSince,
        .arguments = kPartition,
        .callback = callback<route_partition>,
    },
    {
        .name = "ROUTE.INFO",
        .flags = "readonly",
        .key_flags = abi::kKeyReadOnly | abi::kKeyAccess,
        .arity = 2,
        .summary =
            "Describes a routing table: devices, subscriptions, filters, and the channels with the most changes.",
        .complexity = "O(N) with N transports.",
        .since = kSince,
        .arguments = kInfo,
        .callback = callback<run<RouteInfo>>,
    },
    {
        .name = "ROUTE.APPLY",
        .flags = "write deny-oom admin",
        .key_flags = abi::kKeyReadWrite | abi::kKeyUpdate,
        .arity = -4,
        .summary = "Applies an effect to a routing table; written by servers to replicas and the AOF, not by people.",
        .complexity = "O(N) with N bytes in the effect.",
        .since = kSince,
        .arguments = kEffect,
        .callback = callback<run<RouteApply>>,
    },
};

}  // namespace

std::span<const abi::Command> route_command_table() { return kCommands; }

}  // namespace millrace::module
