#include "module/runtime/command_rows.h"
#include "module/shard/shard_changes.h"
#include "module/shard/shard_commands.h"
#include "module/shard/shard_pull.h"
#include "module/shard/shard_route.h"
#include "module/shard/shard_shows.h"

namespace millrace::module {

namespace {

constexpr ArgumentDoc kPool{.name = "pool", .kind = Key};
constexpr ArgumentDoc kWorker{.name = "worker"};
constexpr ArgumentDoc kRecipient{.name = "recipient"};
constexpr ArgumentDoc kCount{.name = "count", .kind = Integer, .token = "COUNT", .flags = kOptional};
constexpr ArgumentDoc kBlock{.name = "milliseconds", .kind = Integer, .token = "BLOCK", .flags = kOptional};

constexpr ArgumentDoc kWorkerOf[] = {kPool, kWorker};
constexpr ArgumentDoc kRecipientOf[] = {kPool, kRecipient};
constexpr ArgumentDoc kLeave[] = {
    kPool, kWorker, {.name = "now", .kind = PureToken, .token = "NOW", .flags = kOptional}};
constexpr ArgumentDoc kRoute[] = {kPool, kRecipient, kBlock};
constexpr ArgumentDoc kPayload{.name = "payload", .flags = kMultiple};
constexpr ArgumentDoc kPayloadsAlone[] = {kPayload, kBlock};
constexpr ArgumentDoc kPayloadsBehindOptions[] = {
    {.name = "id", .token = "ID", .flags = kOptional},
    kBlock,
    {.name = "payloads", .kind = PureToken, .token = "PAYLOADS"},
    kPayload,
};
constexpr ArgumentDoc kPayloads[] = {{.name = "payloads-alone", .kind = Block, .parts = kPayloadsAlone},
                                     {.name = "behind-options", .kind = Block, .parts = kPayloadsBehindOptions}};
constexpr ArgumentDoc kPush[] = {kPool, kRecipient, {.name = "queued", .kind = OneOf, .parts = kPayloads}};
constexpr ArgumentDoc kDone[] = {kPool, kWorker, kRecipient, {.name = "count", .kind = Integer, .flags = kOptional}};
constexpr ArgumentDoc kCursor{.name = "cursor", .kind = Integer, .token = "CURSOR", .flags = kOptional};
constexpr ArgumentDoc kRecipients[] = {kPool, kWorker, kCount, kCursor};
constexpr ArgumentDoc kPull[] = {
    kPool,
    kWorker,
    kCount,
    kBlock,
    {.name = "withattempts", .kind = PureToken, .token = "WITHATTEMPTS", .flags = kOptional},
};
constexpr ArgumentDoc kFates[] = {{.name = "delay", .kind = Integer, .token = "DELAY"},
                                  {.name = "reason", .token = "DEAD"}};
constexpr ArgumentDoc kNack[] = {
    kPool,
    kWorker,
    kRecipient,
    {.name = "sequence", .kind = Integer},
    {.name = "fate", .kind = OneOf, .flags = kOptional, .parts = kFates},
};
constexpr ArgumentDoc kForget[] = {kPool, {.name = "recipient", .flags = kMultiple}};
constexpr ArgumentDoc kInfo[] = {kPool, kCount, kCursor};
constexpr ArgumentDoc kPageParts[] = {{.name = "cursor", .kind = Integer, .token = "CURSOR"}, kCount};
constexpr ArgumentDoc kCheck[] = {kPool, {.name = "page", .kind = Block, .flags = kOptional, .parts = kPageParts}};
constexpr ArgumentDoc kAck[] = {kPool, kWorker, kRecipient, {.name = "sequence", .kind = Integer}};
constexpr ArgumentDoc kRebalance[] = {kPool,
                                      {.name = "moves", .kind = Integer, .token = "MAXMOVES", .flags = kOptional}};
constexpr ArgumentDoc kPolicies[] = {{.name = "roundrobin", .kind = PureToken, .token = "roundrobin"},
                                     {.name = "leastpending", .kind = PureToken, .token = "leastpending"}};
constexpr ArgumentDoc kDeadLogs[] = {{.name = "key"}, {.name = "none", .kind = PureToken, .token = "NONE"}};
constexpr ArgumentDoc kSet[] = {
    kPool,
    {.name = "milliseconds", .kind = Integer, .token = "STALE", .flags = kOptional},
    {.name = "policy", .kind = OneOf, .token = "POLICY", .flags = kOptional, .parts = kPolicies},
    {.name = "attempts", .kind = Integer, .token = "MAXATTEMPTS", .flags = kOptional},
    {.name = "log", .kind = OneOf, .token = "DEADLETTER", .flags = kOptional, .parts = kDeadLogs},
    {.name = "idle-milliseconds", .kind = Integer, .token = "FORGET", .flags = kOptional},
    {.name = "payloads", .kind = Integer, .token = "RECIPIENTMAX", .flags = kOptional},
};

constexpr ArgumentDoc kBlockParts[] = {{.name = "header"}, {.name = "bytes"}};
constexpr ArgumentDoc kEffects[] = {
    {.name = "pool-time", .kind = Integer, .token = "CLOCK"},
    {.name = "seen", .token = "SEEN"},
    {.name = "settle", .kind = PureToken, .token = "SETTLE"},
    {.name = "names", .token = "FORGET"},
    {.name = "letters", .kind = Integer, .token = "LETTERS"},
    {.name = "head", .token = "POOL"},
    {.name = "worker", .token = "WORKER"},
    {.name = "recipients", .token = "RECIPIENTS"},
    {.name = "block", .kind = Block, .token = "BLOCK", .parts = kBlockParts},
    {.name = "queue", .token = "QUEUE"},
    {.name = "trouble", .token = "TROUBLE"},
    {.name = "dead", .token = "DEAD"},
    {.name = "ids", .token = "IDS"},
};
constexpr ArgumentDoc kEffect[] = {kPool, {.name = "effect", .kind = OneOf, .parts = kEffects}};

constexpr abi::Command kCommands[] = {
    {
        .name = "SHARD.JOIN",
        .flags = "write deny-oom fast",
        .key_flags = abi::kKeyReadWrite | abi::kKeyInsert,
        .arity = 3,
        .summary = "Adds a worker to a pool, or restarts it if it is there already; returns the number of workers.",
        .complexity = "O(log(N)) with N workers; for a worker that was in the pool already, plus O(M log(M)) for the M "
                      "recipients whose payloads it had in flight.",
        .since = kSince,
        .arguments = kWorkerOf,
        .callback = callback<run<ShardJoin>>,
    },
    {
        .name = "SHARD.HEARTBEAT",
        .flags = "write fast",
        .key_flags = abi::kKeyReadWrite | abi::kKeyUpdate,
        .arity = 3,
        .summary = "Shows that a worker is alive; returns 1.",
        .complexity = "O(log(N)) with N workers.",
        .since = kSince,
        .arguments = kWorkerOf,
        .callback = callback<run<ShardHeartbeat>>,
    },
    {
        .name = "SHARD.LEAVE",
        .flags = "write",
        .key_flags = abi::kKeyReadWrite | abi::kKeyUpdate,
        .arity = -3,
        .summary = "Takes a worker out of a pool and moves its recipients; returns how many have moved.",
        .complexity = "O(N) with N recipients, at most 10000 of them at once; the rest follows in slices.",
        .since = kSince,
        .arguments = kLeave,
        .callback = callback<run<ShardLeave>>,
    },
    {
        .name = "SHARD.ROUTE",
        .flags = "write deny-oom blocking fast",
        .key_flags = abi::kKeyReadWrite | abi::kKeyUpdate,
        .arity = -3,
        .summary = "Returns the worker of a recipient and counts one more pending; assigns it if it is new, fails over "
                   "if the worker is stale.",
        .complexity = "O(1); for a failover O(N) with N recipients, at most 10000 of them at once.",
        .since = kSince,
        .arguments = kRoute,
        .callback = callback<run<ShardRoute>>,
    },
    {
        .name = "SHARD.PUSH",
        .flags = "write deny-oom blocking fast",
        .key_flags = abi::kKeyReadWrite | abi::kKeyInsert,
        .arity = -4,
        .summary = "Queues payloads for a recipient's worker; assigns and fails over as SHARD.ROUTE does.",
        .complexity = "O(1) for each payload; for a failover as SHARD.ROUTE.",
        .since = kSince,
        .arguments = kPush,
        .callback = callback<run<ShardPush>>,
    },
    {
        .name = "SHARD.DONE",
        .flags = "write fast",
        .key_flags = abi::kKeyReadWrite | abi::kKeyUpdate,
        .arity = -4,
        .summary = "Counts routed messages of a recipient as done; returns how many remain pending.",
        .complexity = "O(log(N)) with N workers.",
        .since = kSince,
        .arguments = kDone,
        .callback = callback<run<ShardDone>>,
    },
    {
        .name = "SHARD.OWNER",
        .flags = "readonly fast",
        .key_flags = abi::kKeyReadOnly | abi::kKeyAccess,
        .arity = 3,
        .summary = "Returns the worker of a recipient, or null.",
        .complexity = "O(1).",
        .since = kSince,
        .arguments = kRecipientOf,
        .callback = callback<run<ShardOwner>>,
    },
    {
        .name = "SHARD.RECIPIENTS",
        .flags = "readonly",
        .key_flags = abi::kKeyReadOnly | abi::kKeyAccess,
        .arity = -3,
        .summary = "Lists the recipients of a worker and how many messages are pending for each, a page at a time.",
        .complexity =
            "O(N) with N recipients returned; more if the recipient at which the page begins has moved meanwhile.",
        .since = kSince,
        .arguments = kRecipients,
        .callback = callback<run<ShardRecipients>>,
    },
    {
        .name = "SHARD.PULL",
        .flags = "write blocking fast",
        .key_flags = abi::kKeyReadWrite | abi::kKeyAccess | abi::kKeyUpdate,
        .arity = -3,
        .summary = "Delivers payloads to a worker, for its recipients in turn, and waits for payloads if asked to.",
        .complexity = "O(N) with N payloads delivered, at most 10,000.",
        .since = kSince,
        .arguments = kPull,
        .callback = callback<run<ShardPull>>,
    },
    {
        .name = "SHARD.NACK",
        .flags = "write fast",
        .key_flags = abi::kKeyReadWrite | abi::kKeyUpdate,
        .arity = -5,
        .summary =
            "Gives back a payload that a worker cannot handle and all payloads behind it, or gives the payload up.",
        .complexity = "O(N) with N workers; O(1) for each payload that is given up.",
        .since = kSince2,
        .arguments = kNack,
        .callback = callback<run<ShardNack>>,
    },
    {
        .name = "SHARD.FORGET",
        .flags = "write",
        .key_flags = abi::kKeyReadWrite | abi::kKeyDelete,
        .arity = -3,
        .summary = "Removes recipients for which nothing is pending; returns how many.",
        .complexity = "O(N) with N recipients given, and with N workers.",
        .since = kSince2,
        .arguments = kForget,
        .callback = callback<run<ShardForget>>,
    },
    {
        .name = "SHARD.ACK",
        .flags = "write fast",
        .key_flags = abi::kKeyReadWrite | abi::kKeyDelete,
        .arity = 5,
        .summary = "Acknowledges the payloads of a recipient up to a sequence; returns how many.",
        .complexity = "O(1), plus O(1) for each block of payloads that is removed.",
        .since = kSince,
        .arguments = kAck,
        .callback = callback<run<ShardAck>>,
    },
    {
        .name = "SHARD.REBALANCE",
        .flags = "write",
        .key_flags = abi::kKeyReadWrite | abi::kKeyUpdate,
        .arity = -2,
        .summary = "Moves idle recipients from workers that have many to workers that have few; returns how many.",
        .complexity = "O(N log(W)) with N recipients looked at, at most 100000, and W workers.",
        .since = kSince,
        .arguments = kRebalance,
        .callback = callback<run<ShardRebalance>>,
    },
    {
        .name = "SHARD.SET",
        .flags = "write deny-oom",
        .key_flags = abi::kKeyReadWrite | abi::kKeyUpdate,
        .arity = -4,
        .summary = "Sets when a worker is stale, how workers are chosen, when payloads are given up, and when "
                   "idle recipients are forgotten.",
        .complexity = "O(N) with N workers.",
        .since = kSince,
        .arguments = kSet,
        .callback = callback<run<ShardSet>>,
    },
    {
        .name = "SHARD.CHECK",
        .flags = "readonly",
        .key_flags = abi::kKeyReadOnly | abi::kKeyAccess,
        .arity = -2,
        .summary = "Checks that every recipient has one owner and that all counts add up, or, page by page, that each "
                   "recipient is consistent.",
        .complexity = "O(N) with N recipients and queued payloads: for diagnosis, not for regular use. With CURSOR, "
                      "O(N) with N recipients looked at.",
        .since = kSince,
        .arguments = kCheck,
        .callback = callback<run<ShardCheck>>,
    },
    {
        .name = "SHARD.INFO",
        .flags = "readonly",
        .key_flags = abi::kKeyReadOnly | abi::kKeyAccess,
        .arity = -2,
        .summary = "Describes a pool: workers, pending messages, settings, counters.",
        .complexity = "O(N) with N workers that are shown.",
        .since = kSince,
        .arguments = kInfo,
        .callback = callback<run<ShardInfo>>,
    },
    {
        .name = "SHARD.APPLY",
        .flags = "write deny-oom admin",
        .key_flags = abi::kKeyReadWrite | abi::kKeyUpdate,
        .arity = -3,
        .summary = "Applies an effect to a pool; written by servers to replicas and the AOF, not by people.",
        .complexity = "O(N) with N bytes in the effect, or as SHARD.ROUTE.",
        .since = kSince,
        .arguments = kEffect,
        .callback = callback<run<ShardApply>>,
    },
};

}  // namespace

std::span<const abi::Command> shard_command_table() { return kCommands; }

}  // namespace millrace::module
