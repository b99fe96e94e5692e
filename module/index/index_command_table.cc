#include "module/index/index_changes.h"
#include "module/index/index_commands.h"
#include "module/index/index_shows.h"
#include "module/runtime/command_rows.h"

namespace millrace::module {

namespace {

constexpr ArgumentDoc kIndex{.name = "index", .kind = Key};
constexpr ArgumentDoc kField{.name = "field"};
constexpr ArgumentDoc kValue{.name = "value"};
constexpr ArgumentDoc kCount{.name = "count", .kind = Integer, .token = "COUNT", .flags = kOptional};

constexpr ArgumentDoc kTypes[] = {{.name = "integer", .kind = PureToken, .token = "INTEGER"},
                                  {.name = "number", .kind = PureToken, .token = "NUMBER"},
                                  {.name = "text", .kind = PureToken, .token = "TEXT"}};
constexpr ArgumentDoc kFieldParts[] = {
    kField,
    {.name = "type", .kind = OneOf, .parts = kTypes},
    {.name = "nocase", .kind = PureToken, .token = "NOCASE", .flags = kOptional},
    {.name = "unique", .kind = PureToken, .token = "UNIQUE", .flags = kOptional},
    {.name = "separator", .token = "MANY", .flags = kOptional},
};
constexpr ArgumentDoc kOrderParts[] = {
    {.name = "order"}, {.name = "numfields", .kind = Integer}, {.name = "field", .flags = kMultiple}};
constexpr ArgumentDoc kCreate[] = {
    kIndex,
    {.name = "prefix", .token = "PREFIX"},
    {.name = "json", .kind = PureToken, .token = "JSON", .flags = kOptional},
    {.name = "field-definition", .kind = Block, .token = "FIELD", .flags = kMultipleToken, .parts = kFieldParts},
    {.name = "order-definition",
     .kind = Block,
     .token = "ORDER",
     .flags = kOptional | kMultipleToken,
     .parts = kOrderParts},
};

constexpr ArgumentDoc kAddFieldParts[] = {
    {.name = "field-definition", .kind = Block, .token = "FIELD", .parts = kFieldParts}};
constexpr ArgumentDoc kAddOrderParts[] = {
    {.name = "order-definition", .kind = Block, .token = "ORDER", .parts = kOrderParts}};
constexpr ArgumentDoc kDropFieldParts[] = {{.name = "field", .token = "FIELD"}};
constexpr ArgumentDoc kDropOrderParts[] = {{.name = "order", .token = "ORDER"}};
constexpr ArgumentDoc kChanges[] = {
    {.name = "add-field", .kind = Block, .token = "ADD", .parts = kAddFieldParts},
    {.name = "add-order", .kind = Block, .token = "ADD", .parts = kAddOrderParts},
    {.name = "drop-field", .kind = Block, .token = "DROP", .parts = kDropFieldParts},
    {.name = "drop-order", .kind = Block, .token = "DROP", .parts = kDropOrderParts},
};
constexpr ArgumentDoc kAlter[] = {kIndex, {.name = "change", .kind = OneOf, .parts = kChanges}};

constexpr ArgumentDoc kBetweenParts[] = {{.name = "min"}, {.name = "max"}};
constexpr ArgumentDoc kInParts[] = {{.name = "numvalues", .kind = Integer}, {.name = "value", .flags = kMultiple}};
constexpr ArgumentDoc kRelations[] = {
    {.name = "equal", .token = "="},
    {.name = "less", .token = "<"},
    {.name = "at-most", .token = "<="},
    {.name = "greater", .token = ">"},
    {.name = "at-least", .token = ">="},
    {.name = "between", .kind = Block, .token = "BETWEEN", .parts = kBetweenParts},
    {.name = "prefix", .token = "PREFIX"},
    {.name = "in", .kind = Block, .token = "IN", .parts = kInParts},
};
constexpr ArgumentDoc kWhereParts[] = {kField, {.name = "relation", .kind = OneOf, .parts = kRelations}};
constexpr ArgumentDoc kWhere{
    .name = "condition", .kind = Block, .token = "WHERE", .flags = kOptional | kMultipleToken, .parts = kWhereParts};
constexpr ArgumentDoc kGetParts[] = {{.name = "numfields", .kind = Integer}, {.name = "field", .flags = kMultiple}};
constexpr ArgumentDoc kLimit{.name = "limit", .kind = Integer, .token = "LIMIT", .flags = kOptional};
constexpr ArgumentDoc kFind[] = {
    kIndex,
    kWhere,
    {.name = "order", .token = "ORDER", .flags = kOptional},
    {.name = "rev", .kind = PureToken, .token = "REV", .flags = kOptional},
    kLimit,
    {.name = "cursor", .token = "AFTER", .flags = kOptional},
    {.name = "get", .kind = Block, .token = "GET", .flags = kOptional, .parts = kGetParts},
    {.name = "withvalues", .kind = PureToken, .token = "WITHVALUES", .flags = kOptional},
};
constexpr ArgumentDoc kCountOf[] = {kIndex, kWhere};
constexpr ArgumentDoc kPlainCount{.name = "count", .kind = Integer, .flags = kOptional};
constexpr ArgumentDoc kSample[] = {kIndex, kPlainCount, kWhere};
constexpr ArgumentDoc kRecent[] = {kIndex, kPlainCount};
constexpr ArgumentDoc kComplete[] = {
    kIndex,
    kField,
    {.name = "prefix"},
    kLimit,
    {.name = "withcounts", .kind = PureToken, .token = "WITHCOUNTS", .flags = kOptional},
};
constexpr ArgumentDoc kPairParts[] = {kField, kValue};
constexpr ArgumentDoc kPut[] = {
    kIndex, {.name = "key"}, {.name = "data", .kind = Block, .flags = kMultiple, .parts = kPairParts}};
constexpr ArgumentDoc kList[] = {kIndex, kCount};
constexpr ArgumentDoc kCheck[] = {kIndex, {.name = "repair", .kind = PureToken, .token = "REPAIR", .flags = kOptional}};
constexpr ArgumentDoc kIndexOnly[] = {kIndex};
constexpr ArgumentDoc kParts[] = {
    {.name = "schema", .token = "SCHEMA"}, {.name = "documents", .token = "DOCUMENTS"},
    {.name = "lines", .token = "LINES"},   {.name = "skipped", .token = "SKIPPED"},
    {.name = "recent", .token = "RECENT"},
};
constexpr ArgumentDoc kApply[] = {kIndex, {.name = "part", .kind = OneOf, .parts = kParts}};

constexpr uint64_t kReads = abi::kKeyReadOnly | abi::kKeyAccess;

constexpr abi::Command kCommands[] = {
    {
        .name = "IDX.CREATE",
        .flags = "write deny-oom",
        .key_flags = abi::kKeyReadWrite | abi::kKeyInsert,
        .arity = -7,
        .summary = "Makes an index of the documents whose keys begin with a prefix.",
        .complexity = "O(1); the keys that are there are read in slices afterwards.",
        .since = kSince2,
        .arguments = kCreate,
        .callback = callback<run<IdxCreate>>,
    },
    {
        .name = "IDX.ALTER",
        .flags = "write",
        .key_flags = abi::kKeyReadWrite | abi::kKeyUpdate,
        .arity = -5,
        .summary = "Adds a field or an order to an index, or drops one.",
        .complexity = "O(1); documents are read, and dropped entries freed, in slices afterwards.",
        .since = kSince2,
        .arguments = kAlter,
        .callback = callback<run<IdxAlter>>,
    },
    {
        .name = "IDX.FIND",
        .flags = "readonly",
        .key_flags = kReads,
        .arity = -2,
        .summary = "Finds documents that meet conditions, in the order of a field or of several.",
        .complexity = "O(log(N) + M) with N documents and M that the best order leads to, at most 10,000 in one call.",
        .since = kSince2,
        .arguments = kFind,
        .callback = callback<idx_find>,
    },
    {
        .name = "IDX.COUNT",
        .flags = "readonly",
        .key_flags = kReads,
        .arity = -2,
        .summary = "Counts documents that meet conditions.",
        .complexity = "O(log(N)) if one order answers it; else O(M) with M entries that the conditions lead to.",
        .since = kSince2,
        .arguments = kCountOf,
        .callback = callback<run<IdxCount>>,
    },
    {
        .name = "IDX.SAMPLE",
        .flags = "readonly",
        .key_flags = kReads,
        .arity = -2,
        .summary = "Draws documents that meet conditions, each equally likely.",
        .complexity = "O(M) with M documents that are looked at, at most 10,000 and the count.",
        .since = kSince2,
        .arguments = kSample,
        .callback = callback<run<IdxSample>>,
    },
    {
        .name = "IDX.RECENT",
        .flags = "readonly",
        .key_flags = kReads,
        .arity = -2,
        .summary = "Lists the documents that were written last, the last one first.",
        .complexity = "O(1): at most 3,000 writes are looked at.",
        .since = kSince2,
        .arguments = kRecent,
        .callback = callback<run<IdxRecent>>,
    },
    {
        .name = "IDX.COMPLETE",
        .flags = "readonly",
        .key_flags = kReads,
        .arity = -4,
        .summary = "Lists values of a field that begin with a prefix, the most frequent first.",
        .complexity = "O(log(N) + M) with M values that begin so, at most 30,000 entries.",
        .since = kSince2,
        .arguments = kComplete,
        .callback = callback<run<IdxComplete>>,
    },
    {
        .name = "IDX.PUT",
        .flags = "write deny-oom",
        .key_flags = kReads | abi::kOtherKeys,
        .arity = -5,
        .summary = "Writes a document as HSET does, unless another one has a value that must be unique.",
        .complexity = "O(F log(N)) with F fields and N documents.",
        .since = kSince2,
        .arguments = kPut,
        .callback = callback_with_keys<idx_put, idx_put_document>,
    },
    {
        .name = "IDX.CONFLICTS",
        .flags = "readonly",
        .key_flags = kReads,
        .arity = -2,
        .summary = "Lists documents that are left out of a unique field, because another one has the value.",
        .complexity = "O(M) with M of them listed.",
        .since = kSince2,
        .arguments = kList,
        .callback = callback<run<IdxConflicts>>,
    },
    {
        .name = "IDX.SKIPPED",
        .flags = "readonly",
        .key_flags = kReads,
        .arity = -2,
        .summary = "Lists documents with values that do not fit, and why.",
        .complexity = "O(M) with M of them listed.",
        .since = kSince2,
        .arguments = kList,
        .callback = callback<run<IdxSkipped>>,
    },
    {
        .name = "IDX.CHECK",
        .flags = "readonly",
        .key_flags = kReads,
        .arity = -2,
        .summary = "Compares an index with its documents, in slices; repairs it if asked to.",
        .complexity = "O(1) a call: a slice of at most a millisecond.",
        .since = kSince2,
        .arguments = kCheck,
        .callback = callback<idx_check>,
    },
    {
        .name = "IDX.INFO",
        .flags = "readonly",
        .key_flags = kReads,
        .arity = 2,
        .summary = "Shows what an index covers, how far it is built, and what it takes.",
        .complexity = "O(F + N/8000) with F fields and N documents.",
        .since = kSince2,
        .arguments = kIndexOnly,
        .callback = callback<run<IdxInfo>>,
    },
    {
        .name = "IDX.APPLY",
        .flags = "write deny-oom admin",
        .key_flags = abi::kKeyReadWrite | abi::kKeyInsert,
        .arity = 4,
        .summary = "Adds a part of an index that was saved: what a server writes to its AOF.",
        .complexity = "O(M log(N)) with M documents in the part.",
        .since = kSince2,
        .arguments = kApply,
        .callback = callback<run<IdxApply>>,
    },
};

}  // namespace

std::span<const abi::Command> index_command_table() { return kCommands; }

}  // namespace millrace::module
