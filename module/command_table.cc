#include "module/command_table.h"

#include "module/commands/log_commands.h"
#include "module/commands/log_readers.h"

namespace millrace::module {

namespace {

using abi::ArgumentDoc;
using enum abi::ArgumentKind;
constexpr int kOptional = abi::kArgumentOptional;
constexpr int kMultiple = abi::kArgumentMultiple;

constexpr const char* kSince = "1.0.0";
constexpr ArgumentDoc kKey{.name = "key", .kind = Key};

// Every command first answers those whom a transaction still owes an answer.
template <abi::Handler handler>
void after_owed_answers(abi::Context context, abi::Arguments arguments) {
  serve_owed_readers(context);
  handler(context, arguments);
}
template <abi::Handler handler>
constexpr abi::CommandCallback callback = abi::of<after_owed_answers<handler>>;

// --- TWRITE ---
constexpr ArgumentDoc kTagEntry[] = {{.name = "tag"}, {.name = "entry"}};
constexpr ArgumentDoc kEntriesForm[] = {
    {.name = "backlog", .kind = Integer, .token = "BACKLOG", .flags = kOptional},
    {.name = "entries", .kind = Block, .token = "ENTRIES", .flags = kMultiple, .parts = kTagEntry},
};
constexpr ArgumentDoc kWriteForms[] = {
    {.name = "message", .kind = Block, .parts = kTagEntry},
    {.name = "messages", .kind = Block, .parts = kEntriesForm},
};
constexpr ArgumentDoc kWrite[] = {kKey, {.name = "what", .kind = OneOf, .parts = kWriteForms}};

// --- TREAD ---
constexpr ArgumentDoc kTags[] = {{.name = "number", .kind = Integer}, {.name = "tag", .flags = kMultiple}};
constexpr ArgumentDoc kRead[] = {
    kKey,
    {.name = "offset"},
    {.name = "count", .kind = Integer},
    {.name = "milliseconds", .kind = Integer, .token = "BLOCK", .flags = kOptional},
    {.name = "withinfo", .kind = PureToken, .token = "WITHINFO", .flags = kOptional},
    {.name = "skip", .kind = PureToken, .token = "SKIP", .flags = kOptional},
    {.name = "tags", .kind = Block, .token = "TAGS", .flags = kOptional, .parts = kTags},
};

// --- TRETAIN ---
constexpr ArgumentDoc kRetain[] = {
    kKey,
    {.name = "count", .kind = Integer, .token = "COUNT", .flags = kOptional},
    {.name = "milliseconds", .kind = Integer, .token = "AGE", .flags = kOptional},
    {.name = "bytes", .kind = Integer, .token = "BYTES", .flags = kOptional},
};

// --- TAPPLY ---
constexpr ArgumentDoc kBlockParts[] = {{.name = "header"}, {.name = "bytes"}};
constexpr ArgumentDoc kEffects[] = {
    {.name = "unix-time-milliseconds", .kind = UnixTime, .token = "CLOCK"},
    {.name = "block", .kind = Block, .token = "BLOCK", .parts = kBlockParts},
    {.name = "head", .token = "HEAD"},
};
constexpr ArgumentDoc kApply[] = {kKey, {.name = "effect", .kind = OneOf, .parts = kEffects}};

constexpr ArgumentDoc kEvict[] = {kKey, {.name = "offset", .kind = Integer}};
constexpr ArgumentDoc kSeek[] = {kKey, {.name = "unix-time-milliseconds", .kind = UnixTime}};
constexpr ArgumentDoc kOnlyKey[] = {kKey};

constexpr abi::Command kCommands[] = {
    {
        .name = "TWRITE",
        .flags = "write deny-oom fast",
        .key_flags = abi::kKeyReadWrite | abi::kKeyInsert,
        .arity = -4,
        .summary = "Appends messages to a log and returns the offset of the first.",
        .complexity = "O(1) for each message, plus O(1) for each block evicted.",
        .since = kSince,
        .arguments = kWrite,
        .callback = callback<twrite>,
    },
    {
        .name = "TREAD",
        .flags = "readonly blocking",
        .key_flags = abi::kKeyReadOnly | abi::kKeyAccess,
        .arity = -4,
        .summary = "Reads messages of a log from an offset on, and waits for them if asked to.",
        .complexity = "O(log(N)+M) with N blocks in the log and M messages returned; by tag, plus one test for each "
                      "block passed and a walk through those that may hold the tag.",
        .since = kSince,
        .arguments = kRead,
        .callback = callback<tread>,
    },
    {
        .name = "TEVICT",
        .flags = "write",
        .key_flags = abi::kKeyReadWrite | abi::kKeyDelete,
        .arity = 3,
        .summary = "Evicts the messages of a log up to an offset, or all but the newest.",
        .complexity = "O(1) for each block evicted; memory is given back in slices.",
        .since = kSince,
        .arguments = kEvict,
        .callback = callback<tevict>,
    },
    {
        .name = "TRETAIN",
        .flags = "write deny-oom",
        .key_flags = abi::kKeyReadWrite | abi::kKeyUpdate,
        .arity = -2,
        .summary = "Sets what a log keeps, by count, age and bytes, or shows it.",
        .complexity = "O(1), plus O(1) for each block evicted.",
        .since = kSince,
        .arguments = kRetain,
        .callback = callback<tretain>,
    },
    {
        .name = "TSEEK",
        .flags = "readonly fast",
        .key_flags = abi::kKeyReadOnly | abi::kKeyAccess,
        .arity = 3,
        .summary = "Returns the first offset of a log written at or after a time.",
        .complexity = "O(log(N)) with N blocks in the log.",
        .since = kSince,
        .arguments = kSeek,
        .callback = callback<tseek>,
    },
    {
        .name = "TINFO",
        .flags = "readonly",
        .key_flags = abi::kKeyReadOnly,
        .arity = 2,
        .summary = "Describes a log: offsets, size, limits, and what holds its tail.",
        .complexity = "O(N) with N blocks in the log.",
        .since = kSince,
        .arguments = kOnlyKey,
        .callback = callback<tinfo>,
    },
    {
        .name = "TAPPLY",
        .flags = "write deny-oom admin",
        .key_flags = abi::kKeyReadWrite | abi::kKeyUpdate,
        .arity = -4,
        .summary = "Applies an effect to a log; written by servers to replicas and the AOF, not by people.",
        .complexity = "O(N) with N bytes in the effect.",
        .since = kSince,
        .arguments = kApply,
        .callback = callback<tapply>,
    },
};

}  // namespace

std::span<const abi::Command> command_table() { return kCommands; }

}  // namespace millrace::module
