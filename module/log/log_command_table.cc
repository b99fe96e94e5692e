#include "module/log/log_changes.h"
#include "module/log/log_commands.h"
#include "module/log/log_shows.h"
#include "module/log/tread.h"
#include "module/runtime/command_rows.h"
#include "module/runtime/container_help.h"

namespace millrace::module {

namespace {

// --- TWRITE ---
constexpr ArgumentDoc kTagEntry[] = {{.name = "tag"}, {.name = "entry"}};
constexpr ArgumentDoc kWhen[] = {{.name = "unix-time-milliseconds", .kind = UnixTime, .token = "AT"},
                                 {.name = "milliseconds", .kind = Integer, .token = "DELAY"}};
constexpr ArgumentDoc kWhat[] = {
    {.name = "entries", .kind = Block, .token = "ENTRIES", .flags = kMultiple, .parts = kTagEntry},
    {.name = "frame", .token = "FRAMED"},
};
constexpr ArgumentDoc kEntriesForm[] = {
    {.name = "backlog", .kind = Integer, .token = "BACKLOG", .flags = kOptional},
    {.name = "id", .token = "ID", .flags = kOptional},
    {.name = "when", .kind = OneOf, .flags = kOptional, .parts = kWhen},
    {.name = "many", .kind = OneOf, .parts = kWhat},
};
constexpr ArgumentDoc kWriteForms[] = {
    {.name = "message", .kind = Block, .parts = kTagEntry},
    {.name = "messages", .kind = Block, .parts = kEntriesForm},
};
constexpr ArgumentDoc kWrite[] = {kKey, {.name = "what", .kind = OneOf, .parts = kWriteForms}};

// --- TREAD ---
constexpr ArgumentDoc kTags[] = {{.name = "number", .kind = Integer}, {.name = "tag", .flags = kMultiple}};
constexpr ArgumentDoc kGroupForms[] = {{.name = "group", .token = "GROUP"},
                                       {.name = "tailgroup", .token = "TAILGROUP"}};
constexpr ArgumentDoc kRetryTimes[] = {{.name = "retry-milliseconds", .kind = Integer},
                                       {.name = "expire-milliseconds", .kind = Integer}};
constexpr ArgumentDoc kInfo[] = {{.name = "withinfo", .kind = PureToken, .token = "WITHINFO"},
                                 {.name = "epoch", .kind = PureToken, .token = "EPOCH", .flags = kOptional}};
constexpr ArgumentDoc kRead[] = {
    kKey,
    {.name = "offset"},
    {.name = "count", .kind = Integer},
    {.name = "milliseconds", .kind = Integer, .token = "BLOCK", .flags = kOptional},
    {.name = "by-group", .kind = OneOf, .flags = kOptional, .parts = kGroupForms},
    {.name = "consumer", .token = "CONSUMER", .flags = kOptional},
    {.name = "retry", .kind = Block, .token = "RETRY", .flags = kOptional, .parts = kRetryTimes},
    {.name = "withinfo", .kind = Block, .flags = kOptional, .parts = kInfo},
    {.name = "withattempts", .kind = PureToken, .token = "WITHATTEMPTS", .flags = kOptional},
    {.name = "withtime", .kind = PureToken, .token = "WITHTIME", .flags = kOptional},
    {.name = "bytes", .kind = Integer, .token = "MAXBYTES", .flags = kOptional},
    {.name = "rev", .kind = PureToken, .token = "REV", .flags = kOptional},
    {.name = "mine", .kind = PureToken, .token = "MINE", .flags = kOptional},
    {.name = "skip", .kind = PureToken, .token = "SKIP", .flags = kOptional},
    {.name = "tags", .kind = Block, .token = "TAGS", .flags = kOptional, .parts = kTags},
    {.name = "framed", .kind = PureToken, .token = "FRAMED", .flags = kOptional},
};
constexpr ArgumentDoc kReadOnly[] = {
    kKey,
    {.name = "offset"},
    {.name = "count", .kind = Integer},
    {.name = "milliseconds", .kind = Integer, .token = "BLOCK", .flags = kOptional},
    {.name = "withinfo", .kind = Block, .flags = kOptional, .parts = kInfo},
    {.name = "withtime", .kind = PureToken, .token = "WITHTIME", .flags = kOptional},
    {.name = "bytes", .kind = Integer, .token = "MAXBYTES", .flags = kOptional},
    {.name = "rev", .kind = PureToken, .token = "REV", .flags = kOptional},
    {.name = "skip", .kind = PureToken, .token = "SKIP", .flags = kOptional},
    {.name = "tags", .kind = Block, .token = "TAGS", .flags = kOptional, .parts = kTags},
    {.name = "framed", .kind = PureToken, .token = "FRAMED", .flags = kOptional},
};

// --- TRETAIN ---
constexpr ArgumentDoc kYesNo[] = {{.name = "yes", .kind = PureToken, .token = "yes"},
                                  {.name = "no", .kind = PureToken, .token = "no"}};
constexpr ArgumentDoc kRetain[] = {
    kKey,
    {.name = "count", .kind = Integer, .token = "COUNT", .flags = kOptional},
    {.name = "milliseconds", .kind = Integer, .token = "AGE", .flags = kOptional},
    {.name = "bytes", .kind = Integer, .token = "BYTES", .flags = kOptional},
    {.name = "latest", .kind = OneOf, .token = "LATEST", .flags = kOptional, .parts = kYesNo},
    {.name = "acked", .kind = OneOf, .token = "ACKED", .flags = kOptional, .parts = kYesNo},
    {.name = "ids-milliseconds", .kind = Integer, .token = "IDS", .flags = kOptional},
    {.name = "refuse", .kind = OneOf, .token = "REFUSE", .flags = kOptional, .parts = kYesNo},
};

// --- TSCHED ---
constexpr ArgumentDoc kTickets[] = {kKey, {.name = "ticket", .flags = kMultiple}};
constexpr ArgumentDoc kListSchedule[] = {kKey,
                                         {.name = "ticket", .token = "FROM", .flags = kOptional},
                                         {.name = "count", .kind = Integer, .token = "COUNT", .flags = kOptional}};

// --- TACK, TNACK, TGROUP ---
constexpr ArgumentDoc kGroup{.name = "group"};
constexpr ArgumentDoc kOffsets{.name = "offset-or-start-end", .flags = kMultiple};
constexpr ArgumentDoc kConsumer{.name = "consumer", .token = "CONSUMER", .flags = kOptional};
constexpr ArgumentDoc kAck[] = {kKey, kGroup, kConsumer, kOffsets};
constexpr ArgumentDoc kNack[] = {
    kKey,
    kGroup,
    kConsumer,
    {.name = "milliseconds", .kind = Integer, .token = "DELAY", .flags = kOptional},
    {.name = "uncounted", .kind = PureToken, .token = "UNCOUNTED", .flags = kOptional},
    {.name = "reason", .token = "DEAD", .flags = kOptional},
    kOffsets,
};
constexpr ArgumentDoc kDeleteForms[] = {kOffsets, {.name = "by-tags", .kind = Block, .token = "TAGS", .parts = kTags}};
constexpr ArgumentDoc kDelete[] = {kKey, {.name = "which", .kind = OneOf, .parts = kDeleteForms}};
constexpr ArgumentDoc kExtend[] = {kKey, kGroup, kConsumer, {.name = "milliseconds", .kind = Integer}, kOffsets};
constexpr ArgumentDoc kKeyAndGroup[] = {kKey, kGroup};
constexpr ArgumentDoc kPlaces[] = {{.name = "offset", .kind = Integer},
                                   {.name = "first", .kind = PureToken, .token = "FIRST"},
                                   {.name = "next", .kind = PureToken, .token = "NEXT"}};
constexpr ArgumentDoc kSeekGroup[] = {kKey, kGroup, {.name = "where", .kind = OneOf, .parts = kPlaces}};
constexpr ArgumentDoc kListGroups[] = {kKey,
                                       {.name = "group", .token = "AFTER", .flags = kOptional},
                                       {.name = "count", .kind = Integer, .token = "COUNT", .flags = kOptional}};
constexpr ArgumentDoc kPending[] = {
    kKey,
    kGroup,
    {.name = "consumer", .token = "CONSUMER", .flags = kOptional},
    {.name = "offset", .kind = Integer, .token = "FROM", .flags = kOptional},
    {.name = "count", .kind = Integer, .token = "COUNT", .flags = kOptional},
};
constexpr ArgumentDoc kDeadLetterForms[] = {{.name = "dead-letter-key"},
                                            {.name = "none", .kind = PureToken, .token = "NONE"}};
constexpr ArgumentDoc kSetGroup[] = {
    kKey,
    kGroup,
    {.name = "pending-max", .kind = Integer, .token = "PENDINGMAX", .flags = kOptional},
    {.name = "max-attempts", .kind = Integer, .token = "MAXATTEMPTS", .flags = kOptional},
    {.name = "dead-letter", .kind = OneOf, .token = "DEADLETTER", .flags = kOptional, .parts = kDeadLetterForms},
    {.name = "milliseconds", .kind = Integer, .token = "IDLE", .flags = kOptional},
};
constexpr ArgumentDoc kCreateGroup[] = {
    kKey,
    kGroup,
    {.name = "where", .kind = OneOf, .flags = kOptional, .parts = kPlaces},
    {.name = "pending-max", .kind = Integer, .token = "PENDINGMAX", .flags = kOptional},
    {.name = "max-attempts", .kind = Integer, .token = "MAXATTEMPTS", .flags = kOptional},
    {.name = "dead-letter", .kind = OneOf, .token = "DEADLETTER", .flags = kOptional, .parts = kDeadLetterForms},
    {.name = "milliseconds", .kind = Integer, .token = "IDLE", .flags = kOptional},
};
constexpr ArgumentDoc kRedrive[] = {
    kKey,
    {.name = "count", .kind = Integer, .token = "COUNT", .flags = kOptional},
    {.name = "to-key", .token = "TO", .flags = kOptional},
};

// --- TAPPLY ---
constexpr ArgumentDoc kBlockParts[] = {{.name = "header"}, {.name = "bytes"}};
constexpr ArgumentDoc kEffects[] = {
    {.name = "unix-time-milliseconds", .kind = UnixTime, .token = "CLOCK"},
    {.name = "epoch", .token = "EPOCH"},
    {.name = "block", .kind = Block, .token = "BLOCK", .parts = kBlockParts},
    {.name = "head", .token = "HEAD"},
    {.name = "group", .token = "GROUP"},
    {.name = "pending", .token = "PENDING"},
    {.name = "delivered", .token = "DELIVERED"},
    {.name = "finished", .token = "FINISHED"},
    {.name = "given-up", .token = "GIVENUP"},
    {.name = "given-back", .token = "GIVENBACK"},
    {.name = "repeated", .token = "REPEATED"},
    {.name = "used", .token = "USED"},
    {.name = "dropped", .token = "DROPPED"},
    {.name = "compacted", .token = "COMPACTED"},
    {.name = "more", .token = "MORE"},
    {.name = "ids", .token = "IDS"},
    {.name = "scheduled", .token = "SCHEDULED"},
    {.name = "deleted", .token = "DELETED"},
    {.name = "deleting", .token = "DELETING"},
    {.name = "due", .kind = Integer, .token = "DUE"},
    {.name = "tagsdeleted", .token = "TAGSDELETED"},
};
constexpr ArgumentDoc kApplyDoc[] = {kKey, {.name = "effect", .kind = OneOf, .parts = kEffects}};

constexpr ArgumentDoc kEvict[] = {kKey, {.name = "offset", .kind = Integer}};
constexpr ArgumentDoc kSeek[] = {kKey, {.name = "unix-time-milliseconds", .kind = UnixTime}};

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
        .callback = callback<run<Twrite>>,
    },
    // With a group TREAD replicates: so the host holds it while writes are paused, and refuses it in read-only scripts.
    {
        .name = "TREAD",
        .flags = "readonly may-replicate blocking",
        .key_flags = abi::kKeyReadOnly | abi::kKeyAccess,
        .arity = -4,
        .summary = "Reads messages of a log, from an offset on or for a group, and waits for them if asked to.",
        .complexity = "O(log(N)+M) with N blocks in the log and M messages returned. A read by tag also searches "
                      "for up to 1 ms: one test for each block passed, and a look at the messages of the blocks that "
                      "may hold a tag.",
        .since = kSince,
        .arguments = kRead,
        .callback = callback<run<Tread>>,
    },
    {
        .name = "TREAD_RO",
        .flags = "readonly blocking",
        .key_flags = abi::kKeyReadOnly | abi::kKeyAccess,
        .arity = -4,
        .summary = "Reads messages of a log from an offset on; always a read, for read-only scripts too.",
        .complexity = "O(log(N)+M) with N blocks in the log and M messages returned; by tag as TREAD.",
        .since = kSince2,
        .arguments = kReadOnly,
        .callback = callback<run<TreadRo>>,
    },
    {
        .name = "TREADGROUP",
        .flags = "write blocking",
        .key_flags = abi::kKeyReadWrite | abi::kKeyAccess | abi::kKeyUpdate,
        .arity = -4,
        .summary = "Reads messages of a log for a group; TREAD with GROUP or TAILGROUP does the same, and costs more.",
        .complexity = "O(log(N)+M) with N blocks in the log and M messages returned, plus O(log(P)) for each batch "
                      "delivered again, with P batches pending.",
        .since = kSince2,
        .arguments = kRead,
        .callback = abi::checkable<callback<run<Treadgroup>>>,
    },
    {
        .name = "TEVICT",
        .flags = "write",
        .key_flags = abi::kKeyReadWrite | abi::kKeyDelete,
        .arity = 3,
        .summary = "Evicts the messages of a log up to an offset, or all but the newest.",
        .complexity = "O(1) for each block evicted; memory is freed in slices.",
        .since = kSince,
        .arguments = kEvict,
        .callback = callback<run<Tevict>>,
    },
    {
        .name = "TDEL",
        .flags = "write",
        .key_flags = abi::kKeyReadWrite | abi::kKeyDelete,
        .arity = -3,
        .summary = "Deletes single messages of a log, or all with some tags; returns how many.",
        .complexity = "O(N) with N bytes in the blocks that hold the messages; a deletion by tag continues in slices.",
        .since = kSince2,
        .arguments = kDelete,
        .callback = callback<run<Tdel>>,
    },
    {
        .name = "TSCHED",
        .flags = "",
        .key_flags = 0,
        .arity = -2,
        .summary = "The messages of a log that wait for their date.",
        .complexity = "Depends on the subcommand.",
        .since = kSince2,
        .arguments = {},
        .callback = nullptr,
    },
    {
        .name = "TSCHED LIST",
        .flags = "readonly",
        .key_flags = abi::kKeyReadOnly | abi::kKeyAccess,
        .arity = -3,
        .summary = "Lists the messages of a log that wait for their date, the next one first.",
        .complexity = "O(M*log(N)) with N messages waiting and M of them returned.",
        .since = kSince2,
        .arguments = kListSchedule,
        .callback = subcommand<run<TschedList>>,
    },
    {
        .name = "TSCHED CANCEL",
        .flags = "write",
        .key_flags = abi::kKeyReadWrite | abi::kKeyDelete,
        .arity = -4,
        .summary = "Takes messages off the schedule of a log; returns how many were waiting.",
        .complexity = "O(log(N)) for each ticket, with N messages waiting.",
        .since = kSince2,
        .arguments = kTickets,
        .callback = subcommand<run<TschedCancel>>,
    },
    {
        .name = "TSCHED NOW",
        .flags = "write deny-oom",
        .key_flags = abi::kKeyReadWrite | abi::kKeyUpdate,
        .arity = -4,
        .summary = "Writes messages of the schedule now, before their date; returns how many were waiting.",
        .complexity = "O(log(N)) for each ticket, with N messages waiting.",
        .since = kSince2,
        .arguments = kTickets,
        .callback = subcommand<run<TschedNow>>,
    },
    help_row("TSCHED HELP"),
    {
        .name = "TRETAIN",
        .flags = "write",
        .key_flags = abi::kKeyReadWrite | abi::kKeyUpdate,
        .arity = -2,
        .summary = "Sets or shows what a log keeps: by count, age and bytes, and by what groups need.",
        .complexity = "O(1), plus O(1) for each block evicted.",
        .since = kSince,
        .arguments = kRetain,
        .callback = callback<run<Tretain>>,
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
        .callback = callback<run<Tseek>>,
    },
    {
        .name = "TINFO",
        .flags = "readonly",
        .key_flags = abi::kKeyReadOnly | abi::kKeyAccess,
        .arity = 2,
        .summary = "Describes a log: offsets, size, limits, and which limit decides where it begins.",
        .complexity = "O(N) with N blocks in the log.",
        .since = kSince,
        .arguments = kOnlyKey,
        .callback = callback<run<Tinfo>>,
    },
    {
        .name = "TACK",
        .flags = "write fast",
        .key_flags = abi::kKeyReadWrite | abi::kKeyUpdate,
        .arity = -4,
        .summary = "Acknowledges messages that were delivered to a group; returns how many were pending.",
        .complexity =
            "O(log(N)) for each offset with N batches pending, plus O(1) for each batch acknowledged, or, with "
            "CONSUMER, for each batch in the ranges. After 50000 batches, other clients are served first.",
        .since = kSince,
        .arguments = kAck,
        .callback = callback<run<Tack>>,
    },
    {
        .name = "TNACK",
        .flags = "write deny-oom",
        .key_flags = abi::kKeyReadWrite | abi::kKeyUpdate,
        .arity = -4,
        .summary = "Gives messages back for redelivery, at once or after a delay, or gives them up; returns how many.",
        .complexity = "O(log(N)) for each offset, plus O(log(N)) for each batch given back, at most 2000 batches a "
                      "call, with N batches pending.",
        .since = kSince,
        .arguments = kNack,
        .callback = callback<run<Tnack>>,
    },
    {
        .name = "TEXTEND",
        .flags = "write deny-oom",
        .key_flags = abi::kKeyReadWrite | abi::kKeyUpdate,
        .arity = -5,
        .summary = "Moves the time at which pending messages are delivered again; returns how many were pending.",
        .complexity = "O(log(N)) for each offset and each batch extended, at most 2000 batches a call, with N batches "
                      "pending.",
        .since = kSince2,
        .arguments = kExtend,
        .callback = callback<run<Textend>>,
    },
    {
        .name = "TGROUP",
        .flags = "",
        .key_flags = 0,
        .arity = -2,
        .summary = "The groups of a log.",
        .complexity = "Depends on the subcommand.",
        .since = kSince,
        .arguments = {},
        .callback = nullptr,
    },
    {
        .name = "TGROUP LIST",
        .flags = "readonly",
        .key_flags = abi::kKeyReadOnly | abi::kKeyAccess,
        .arity = -3,
        .summary = "Lists the groups of a log: position, pending messages, exact lag, counters, settings.",
        .complexity = "O(log(N)+M) with N groups and M of them returned; O(N) the first time after an eviction.",
        .since = kSince,
        .arguments = kListGroups,
        .callback = subcommand<run<TgroupList>>,
    },
    {
        .name = "TGROUP CREATE",
        .flags = "write deny-oom",
        .key_flags = abi::kKeyReadWrite | abi::kKeyInsert,
        .arity = -4,
        .summary = "Creates a group with its settings; returns 1, or 0 if it exists already.",
        .complexity = "O(log(N)) with N groups.",
        .since = kSince2,
        .arguments = kCreateGroup,
        .callback = subcommand<run<TgroupCreate>>,
    },
    {
        .name = "TGROUP SEEK",
        .flags = "write",
        .key_flags = abi::kKeyReadWrite | abi::kKeyUpdate,
        .arity = 5,
        .summary = "Moves a group to an earlier or later offset, and forgets its pending messages.",
        .complexity = "O(N) with N batches pending.",
        .since = kSince,
        .arguments = kSeekGroup,
        .callback = subcommand<run<TgroupSeek>>,
    },
    {
        .name = "TGROUP DROP",
        .flags = "write",
        .key_flags = abi::kKeyReadWrite | abi::kKeyDelete,
        .arity = 4,
        .summary = "Removes a group; returns 1, or 0 if there is none.",
        .complexity = "O(N) with N batches pending.",
        .since = kSince,
        .arguments = kKeyAndGroup,
        .callback = subcommand<run<TgroupDrop>>,
    },
    {
        .name = "TGROUP PENDING",
        .flags = "readonly",
        .key_flags = abi::kKeyReadOnly | abi::kKeyAccess,
        .arity = -4,
        .summary = "Lists messages that were delivered and not acknowledged: attempts, times, consumer.",
        .complexity = "O(log(N)+M) with N batches pending and M messages returned; with CONSUMER, plus O(1) for each "
                      "batch of other consumers up to the last one of this consumer.",
        .since = kSince,
        .arguments = kPending,
        .callback = subcommand<run<TgroupPending>>,
    },
    {
        .name = "TGROUP SET",
        .flags = "write deny-oom",
        .key_flags = abi::kKeyReadWrite | abi::kKeyUpdate,
        .arity = -5,
        .summary = "Sets how many messages a group may have pending, how often a message is delivered, where it goes "
                   "after that, and when an unused group is dropped.",
        .complexity = "O(1).",
        .since = kSince,
        .arguments = kSetGroup,
        .callback = subcommand<run<TgroupSet>>,
    },
    help_row("TGROUP HELP"),
    {
        .name = "TREDRIVE",
        .flags = "write deny-oom",
        .key_flags = abi::kKeyReadWrite | abi::kKeyDelete,
        .arity = -2,
        .summary = "Moves dead letters back to the logs they came from; returns how many.",
        .complexity = "O(N) with N messages moved.",
        .since = kSince2,
        .arguments = kRedrive,
        .callback = callback<run<Tredrive>>,
    },
    {
        .name = "TAPPLY",
        .flags = "write deny-oom admin",
        .key_flags = abi::kKeyReadWrite | abi::kKeyUpdate,
        .arity = -4,
        .summary = "Applies an effect to a log; written by servers to replicas and the AOF, not by people.",
        .complexity = "O(N) with N bytes in the effect.",
        .since = kSince,
        .arguments = kApplyDoc,
        .callback = callback<run<Tapply>>,
    },
};

}  // namespace

std::span<const abi::Command> log_command_table() { return kCommands; }

}  // namespace millrace::module
