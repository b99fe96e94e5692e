#include "module/channel/chan_fetch.h"
#include "module/channel/channel_changes.h"
#include "module/channel/channel_commands.h"
#include "module/channel/channel_shows.h"
#include "module/runtime/command_rows.h"

namespace millrace::module {

namespace {

constexpr ArgumentDoc kChannel{.name = "channel", .kind = Key};
constexpr ArgumentDoc kSubscriber{.name = "subscriber"};
constexpr ArgumentDoc kExpire{.name = "milliseconds", .kind = Integer, .token = "EXPIRE", .flags = kOptional};

constexpr ArgumentDoc kSubscribe[] = {kChannel, kSubscriber, kExpire};
constexpr ArgumentDoc kUnsubscribe[] = {kChannel, kSubscriber};
constexpr ArgumentDoc kPublish[] = {kChannel, {.name = "id"}, {.name = "content"}};
constexpr ArgumentDoc kPair[] = {{.name = "id"}, {.name = "content"}};
constexpr ArgumentDoc kMpublish[] = {kChannel, {.name = "message", .kind = Block, .flags = kMultiple, .parts = kPair}};
constexpr ArgumentDoc kMax = {.name = "count", .kind = Integer, .token = "MAX", .flags = kOptional};
constexpr ArgumentDoc kMaxBytes = {.name = "bytes", .kind = Integer, .token = "MAXBYTES", .flags = kOptional};
constexpr ArgumentDoc kFetch[] = {
    kChannel,
    kSubscriber,
    kMax,
    kMaxBytes,
    {.name = "milliseconds", .kind = Integer, .token = "BLOCK", .flags = kOptional},
};
constexpr ArgumentDoc kRead[] = {kChannel, {.name = "position"}, kMax, kMaxBytes};
constexpr ArgumentDoc kAck[] = {kChannel, kSubscriber, {.name = "receipt"}};
constexpr ArgumentDoc kSeen[] = {kChannel, kSubscriber, {.name = "id", .flags = kMultiple}};
constexpr ArgumentDoc kCreate[] = {
    kChannel, kExpire, {.name = "clock", .kind = Integer, .token = "CLOCK", .flags = kOptional}};
constexpr ArgumentDoc kWhichLists[] = {{.name = "full", .kind = PureToken, .token = "FULL"},
                                       {.name = "subscribers", .kind = PureToken, .token = "SUBSCRIBERS"}};
constexpr ArgumentDoc kFull[] = {{.name = "which", .kind = OneOf, .parts = kWhichLists},
                                 {.name = "count", .kind = Integer, .token = "COUNT", .flags = kOptional}};
constexpr ArgumentDoc kInfo[] = {kChannel, {.name = "lists", .kind = Block, .flags = kOptional, .parts = kFull}};

constexpr ArgumentDoc kBlockParts[] = {{.name = "header"}, {.name = "bytes"}};
constexpr ArgumentDoc kEffects[] = {
    {.name = "created", .token = "CREATED"},  {.name = "unix-time-milliseconds", .kind = UnixTime, .token = "CLOCK"},
    {.name = "subscriber", .token = "TOUCH"}, {.name = "block", .kind = Block, .token = "BLOCK", .parts = kBlockParts},
    {.name = "log-head", .token = "LOGHEAD"}, {.name = "subscribers", .token = "SUBSCRIBERS"},
};
constexpr ArgumentDoc kEffect[] = {kChannel, {.name = "effect", .kind = OneOf, .parts = kEffects}};

constexpr abi::Command kCommands[] = {
    {
        .name = "CHAN.SUBSCRIBE",
        .flags = "write deny-oom fast",
        .key_flags = abi::kKeyReadWrite | abi::kKeyInsert,
        .arity = -3,
        .summary =
            "Subscribes to a channel, or shows that the subscriber is still there; returns the subscriber's clock.",
        .complexity = "O(1).",
        .since = kSince,
        .arguments = kSubscribe,
        .callback = callback<run<ChanSubscribe>>,
    },
    {
        .name = "CHAN.UNSUBSCRIBE",
        .flags = "write fast",
        .key_flags = abi::kKeyReadWrite | abi::kKeyDelete,
        .arity = 3,
        .summary = "Ends a subscription; returns 1, or 0 if there is none.",
        .complexity = "O(1), or O(log(N)) with N clients that wait for a publication.",
        .since = kSince,
        .arguments = kUnsubscribe,
        .callback = callback<run<ChanUnsubscribe>>,
    },
    {
        .name = "CHAN.PUBLISH",
        .flags = "write deny-oom fast",
        .key_flags = abi::kKeyReadWrite | abi::kKeyInsert,
        .arity = 4,
        .summary = "Publishes a message and returns its clock, or null if its id was published before.",
        .complexity = "O(1), whatever the number of subscribers, plus O(1) for each client that waits for it.",
        .since = kSince,
        .arguments = kPublish,
        .callback = callback<run<ChanPublish>>,
    },
    {
        .name = "CHAN.MPUBLISH",
        .flags = "write deny-oom fast",
        .key_flags = abi::kKeyReadWrite | abi::kKeyInsert,
        .arity = -4,
        .summary = "Publishes messages and returns the clock of each, or null for an id that was published before.",
        .complexity = "O(1) for each message, plus O(1) for each client that waits for them.",
        .since = kSince,
        .arguments = kMpublish,
        .callback = callback<run<ChanMpublish>>,
    },
    {
        .name = "CHAN.FETCH",
        .flags = "write blocking",
        .key_flags = abi::kKeyReadWrite | abi::kKeyAccess | abi::kKeyUpdate,
        .arity = -3,
        .summary = "Returns the messages a subscriber has not acknowledged, with a receipt for them, and waits for "
                   "them if asked to.",
        .complexity = "O(log(N)+M) with N blocks of messages in the channel and M messages returned.",
        .since = kSince,
        .arguments = kFetch,
        .callback = callback<run<ChanFetch>>,
    },
    {
        .name = "CHAN.READ",
        .flags = "readonly",
        .key_flags = abi::kKeyReadOnly | abi::kKeyAccess,
        .arity = -3,
        .summary = "Returns the messages after a position, for a reader without a subscription.",
        .complexity = "O(log(N)+M) with N blocks of messages in the channel and M messages returned.",
        .since = kSince2,
        .arguments = kRead,
        .callback = callback<run<ChanRead>>,
    },
    {
        .name = "CHAN.ACK",
        .flags = "write fast",
        .key_flags = abi::kKeyReadWrite | abi::kKeyUpdate,
        .arity = 4,
        .summary = "Acknowledges everything up to a receipt; returns 1, or 0 if that was done before.",
        .complexity = "O(1).",
        .since = kSince,
        .arguments = kAck,
        .callback = callback<run<ChanAck>>,
    },
    {
        .name = "CHAN.SEEN",
        .flags = "readonly fast",
        .key_flags = abi::kKeyReadOnly | abi::kKeyAccess,
        .arity = -4,
        .summary = "Returns for each id whether the subscriber has acknowledged its message.",
        .complexity = "O(log(N)) for each id, with N blocks of messages in the channel.",
        .since = kSince,
        .arguments = kSeen,
        .callback = callback<run<ChanSeen>>,
    },
    {
        .name = "CHAN.CREATE",
        .flags = "write deny-oom fast",
        .key_flags = abi::kKeyReadWrite | abi::kKeyInsert,
        .arity = -2,
        .summary = "Creates a channel that starts at a given clock; an error if it exists.",
        .complexity = "O(1).",
        .since = kSince,
        .arguments = kCreate,
        .callback = callback<run<ChanCreate>>,
    },
    {
        .name = "CHAN.INFO",
        .flags = "readonly",
        .key_flags = abi::kKeyReadOnly | abi::kKeyAccess,
        .arity = -2,
        .summary = "Describes a channel; FULL lists its subscribers, messages and ids, each with its time to live; "
                   "SUBSCRIBERS lists only its subscribers.",
        .complexity = "O(N+M) with N subscribers and M blocks of messages.",
        .since = kSince,
        .arguments = kInfo,
        .callback = callback<run<ChanInfo>>,
    },
    {
        .name = "CHAN.APPLY",
        .flags = "write deny-oom admin",
        .key_flags = abi::kKeyReadWrite | abi::kKeyUpdate,
        .arity = -4,
        .summary = "Applies an effect to a channel; written by servers to replicas and the AOF, not by people.",
        .complexity = "O(N) with N bytes in the effect.",
        .since = kSince,
        .arguments = kEffect,
        .callback = callback<run<ChanApply>>,
    },
};

}  // namespace

std::span<const abi::Command> channel_command_table() { return kCommands; }

}  // namespace millrace::module
