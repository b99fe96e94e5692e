#include "module/feed/feed_commands.h"
#include "module/runtime/command_rows.h"

namespace millrace::module {

namespace {

constexpr ArgumentDoc kFeed{.name = "feed"};
constexpr ArgumentDoc kStarts[] = {{.name = "position"}, {.name = "notice", .kind = PureToken, .token = "NOTICE"}};
constexpr ArgumentDoc kAdd[] = {kFeed, kKey, {.name = "start", .kind = OneOf, .parts = kStarts}};
// Its keys are not declared as keys to the host: they may be in slots that this node does not serve any more.
constexpr ArgumentDoc kDel[] = {kFeed, {.name = "key", .flags = kMultiple}};
constexpr ArgumentDoc kRead[] = {
    kFeed,
    {.name = "count", .kind = Integer, .token = "MAX", .flags = kOptional},
    {.name = "bytes", .kind = Integer, .token = "BYTES", .flags = kOptional},
    {.name = "milliseconds", .kind = Integer, .token = "BLOCK", .flags = kOptional},
};
constexpr ArgumentDoc kInfo[] = {kFeed};

constexpr abi::Command kCommands[] = {
    {
        .name = "FEED.ADD",
        .flags = "readonly deny-oom fast",
        .key_flags = abi::kKeyReadOnly | abi::kKeyAccess,
        .arity = 4,
        .summary = "Watches a log or channel from a position on; returns 1, or 0 if the feed watched it before.",
        .complexity = "O(log(N)+M) with N blocks of messages in the key and M feeds that watch it.",
        .since = kSince2,
        .arguments = kAdd,
        .callback = callback<feed_add>,
        .key_position = 2,
    },
    {
        .name = "FEED.DEL",
        .flags = "readonly fast",
        .key_flags = 0,
        .arity = -3,
        .summary = "Stops watching keys; returns how many were watched.",
        .complexity = "O(M) for each key, with M feeds that watch it.",
        .since = kSince2,
        .arguments = kDel,
        .callback = callback<feed_del>,
    },
    {
        .name = "FEED.READ",
        .flags = "readonly blocking",
        .key_flags = 0,
        .arity = -2,
        .summary = "Returns what is new in the keys of a feed, key by key, and waits for it if asked to.",
        .complexity = "O(log(N)+M) for each key returned, with N blocks of messages in it and M messages returned.",
        .since = kSince2,
        .arguments = kRead,
        .callback = callback<feed_read>,
    },
    {
        .name = "FEED.INFO",
        .flags = "readonly fast",
        .key_flags = 0,
        .arity = 2,
        .summary = "Describes a feed.",
        .complexity = "O(1).",
        .since = kSince2,
        .arguments = kInfo,
        .callback = callback<feed_info>,
    },
    {
        .name = "FEED.LIST",
        .flags = "readonly",
        .key_flags = 0,
        .arity = 1,
        .summary = "Returns the names of the user's feeds on this node.",
        .complexity = "O(N) with N feeds on the node.",
        .since = kSince2,
        .arguments = {},
        .callback = callback<feed_list>,
    },
};

}  // namespace

std::span<const abi::Command> feed_command_table() { return kCommands; }

}  // namespace millrace::module
