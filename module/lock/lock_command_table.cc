#include "module/lock/lock_changes.h"
#include "module/lock/lock_commands.h"
#include "module/lock/lock_shows.h"
#include "module/runtime/command_rows.h"

namespace millrace::module {

namespace {

constexpr ArgumentDoc kOwner{.name = "owner"};
constexpr ArgumentDoc kTtl{.name = "ttl-milliseconds", .kind = Integer};
constexpr ArgumentDoc kCount{.name = "count", .kind = Integer, .token = "COUNT", .flags = kOptional};
constexpr ArgumentDoc kModes[] = {{.name = "shared", .kind = PureToken, .token = "SHARED"},
                                  {.name = "permits", .kind = Integer, .token = "LIMIT"}};
constexpr ArgumentDoc kWait[] = {
    {.name = "milliseconds", .kind = Integer, .token = "WAIT"},
    {.name = "alive-milliseconds", .kind = Integer, .token = "ALIVE", .flags = kOptional},
};
constexpr ArgumentDoc kAcquire[] = {
    kKey,
    kOwner,
    kTtl,
    {.name = "mode", .kind = OneOf, .flags = kOptional, .parts = kModes},
    {.name = "value", .token = "VALUE", .flags = kOptional},
    {.name = "wait", .kind = Block, .flags = kOptional, .parts = kWait},
};
constexpr ArgumentDoc kWatch[] = {
    kKey,
    {.name = "token", .kind = Integer, .token = "TOKEN", .flags = kOptional},
    {.name = "milliseconds", .kind = Integer, .token = "BLOCK", .flags = kOptional},
};
constexpr ArgumentDoc kRelease[] = {kKey, kOwner};
constexpr ArgumentDoc kRenew[] = {
    kKey, kOwner, kTtl, {.name = "token", .kind = Integer, .token = "TOKEN", .flags = kOptional}};
constexpr ArgumentDoc kInfo[] = {kKey, kCount};
constexpr ArgumentDoc kWaits[] = {kCount};
constexpr ArgumentDoc kApply[] = {kKey, {.name = "changes"}};

constexpr abi::Command kCommands[] = {
    {
        .name = "LOCK.ACQUIRE",
        .flags = "write deny-oom blocking fast",
        .key_flags = abi::kKeyReadWrite | abi::kKeyInsert,
        .arity = -4,
        .summary = "Acquires a lock for an owner, exclusive, shared or as one of n, and waits for it if asked to.",
        .complexity = "O(log(N)) with N holders, and the same for each lease that has ended, up to 1,000 of them.",
        .since = kSince,
        .arguments = kAcquire,
        .callback = callback<run<LockAcquire>>,
    },
    {
        .name = "LOCK.WATCH",
        .flags = "readonly blocking",
        .key_flags = abi::kKeyReadOnly | abi::kKeyAccess,
        .arity = -2,
        .summary = "Returns the holder of a lock, and waits for a new holder if asked to.",
        .complexity = "O(N) with N holders: O(1) for an exclusive lock.",
        .since = kSince2,
        .arguments = kWatch,
        .callback = callback<run<LockWatch>>,
    },
    {
        .name = "LOCK.RELEASE",
        .flags = "write fast",
        .key_flags = abi::kKeyReadWrite | abi::kKeyDelete,
        .arity = 3,
        .summary =
            "Releases one hold of an owner, and serves waiting clients; returns how many holds the owner has left.",
        .complexity = "O(log(N)) with N holders, and the same for each waiting client that gets the lock.",
        .since = kSince,
        .arguments = kRelease,
        .callback = callback<run<LockRelease>>,
    },
    {
        .name = "LOCK.RENEW",
        .flags = "write fast",
        .key_flags = abi::kKeyReadWrite | abi::kKeyUpdate,
        .arity = -4,
        .summary = "Gives an owner a new lease of a lock that it holds, and a greater token if asked to; returns 1, or "
                   "0 if the owner no longer holds it.",
        .complexity = "O(log(N)) with N holders.",
        .since = kSince,
        .arguments = kRenew,
        .callback = callback<run<LockRenew>>,
    },
    {
        .name = "LOCK.BREAK",
        .flags = "write",
        .key_flags = abi::kKeyReadWrite | abi::kKeyDelete,
        .arity = 2,
        .summary = "Frees a lock, regardless of its holders; returns 1, or 0 if it is free already.",
        .complexity = "O(1); a lock with many holders is freed in the background.",
        .since = kSince,
        .arguments = kOnlyKey,
        .callback = callback<run<LockBreak>>,
    },
    {
        .name = "LOCK.INFO",
        .flags = "readonly",
        .key_flags = abi::kKeyReadOnly | abi::kKeyAccess,
        .arity = -2,
        .summary = "Describes a lock: its mode, its holders and their leases, and the clients that wait.",
        .complexity = "O(M) with M holders and waiting clients named.",
        .since = kSince,
        .arguments = kInfo,
        .callback = callback<run<LockInfo>>,
    },
    {
        .name = "LOCK.WAITS",
        .flags = "readonly admin",
        .key_flags = 0,
        .arity = -1,
        .summary =
            "Lists the clients that wait for locks on this node, the longest wait first, and the deadlocks among them.",
        .complexity = "O(N*log(N)) with N clients that wait, and up to 1,000 holders of each lock they wait for.",
        .since = kSince,
        .arguments = kWaits,
        .callback = callback<lock_waits>,
    },
    {
        .name = "LOCK.APPLY",
        .flags = "write deny-oom admin",
        .key_flags = abi::kKeyReadWrite | abi::kKeyUpdate,
        .arity = 3,
        .summary = "Applies an effect to a lock; written by servers to replicas and the AOF, not by people.",
        .complexity = "O(N) with N bytes in the effect.",
        .since = kSince,
        .arguments = kApply,
        .callback = callback<run<LockApply>>,
    },
};

}  // namespace

std::span<const abi::Command> lock_command_table() { return kCommands; }

}  // namespace millrace::module
