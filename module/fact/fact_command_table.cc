#include "module/fact/fact_changes.h"
#include "module/fact/fact_commands.h"
#include "module/fact/fact_shows.h"
#include "module/runtime/command_rows.h"

namespace millrace::module {

namespace {

constexpr ArgumentDoc kGraph{.name = "graph", .kind = Key};
constexpr ArgumentDoc kSubject{.name = "subject"};
constexpr ArgumentDoc kPredicate{.name = "predicate"};
constexpr ArgumentDoc kObject{.name = "object"};
constexpr ArgumentDoc kLimit{.name = "count", .kind = Integer, .token = "LIMIT", .flags = kOptional};

constexpr ArgumentDoc kFact[] = {kSubject, kPredicate, kObject};
constexpr ArgumentDoc kFactList[] = {kGraph, {.name = "fact", .kind = Block, .flags = kMultiple, .parts = kFact}};
constexpr ArgumentDoc kAsked[] = {kGraph, kSubject, kPredicate, kObject};
constexpr ArgumentDoc kFind[] = {kGraph,  kSubject, kPredicate,
                                 kObject, kLimit,   {.name = "cursor", .token = "AFTER", .flags = kOptional}};
constexpr ArgumentDoc kWalk[] = {kGraph,
                                 {.name = "start"},
                                 kPredicate,
                                 {.name = "rev", .kind = PureToken, .token = "REV", .flags = kOptional},
                                 {.name = "depth", .kind = Integer, .token = "DEPTH", .flags = kOptional},
                                 kLimit,
                                 {.name = "end", .token = "TO", .flags = kOptional}};
constexpr ArgumentDoc kGraphOnly[] = {kGraph};
constexpr ArgumentDoc kEffect[] = {kGraph, {.name = "facts", .token = "FACTS"}};

constexpr abi::Command kCommands[] = {
    {
        .name = "FACT.ADD",
        .flags = "write deny-oom fast",
        .key_flags = abi::kKeyReadWrite | abi::kKeyInsert,
        .arity = -5,
        .summary = "Adds facts to a graph; returns how many are new.",
        .complexity = "O(log(N)) for each fact, with N facts in the graph.",
        .since = kSince2,
        .arguments = kFactList,
        .callback = callback<run<FactAdd>>,
    },
    {
        .name = "FACT.DEL",
        .flags = "write fast",
        .key_flags = abi::kKeyReadWrite | abi::kKeyDelete,
        .arity = -5,
        .summary = "Removes facts from a graph; returns how many were there.",
        .complexity = "O(log(N)) for each fact, with N facts in the graph.",
        .since = kSince2,
        .arguments = kFactList,
        .callback = callback<run<FactDel>>,
    },
    {
        .name = "FACT.FIND",
        .flags = "readonly",
        .key_flags = abi::kKeyReadOnly | abi::kKeyAccess,
        .arity = -5,
        .summary = "Returns the facts that have these names, a page at a time.",
        .complexity = "O(log(N) + M) with N facts in the graph and M returned.",
        .since = kSince2,
        .arguments = kFind,
        .callback = callback<run<FactFind>>,
    },
    {
        .name = "FACT.COUNT",
        .flags = "readonly fast",
        .key_flags = abi::kKeyReadOnly | abi::kKeyAccess,
        .arity = 5,
        .summary = "Counts the facts that have these names.",
        .complexity = "O(log(N)) with N facts in the graph.",
        .since = kSince2,
        .arguments = kAsked,
        .callback = callback<run<FactCount>>,
    },
    {
        .name = "FACT.WALK",
        .flags = "readonly",
        .key_flags = abi::kKeyReadOnly | abi::kKeyAccess,
        .arity = -4,
        .summary = "Follows facts from a node; returns the nodes reached with their distance, or a shortest path.",
        .complexity = "O(M log(N)) with N facts in the graph and M looked at, at most millrace.fact-walk-facts.",
        .since = kSince2,
        .arguments = kWalk,
        .callback = callback<run<FactWalkCommand>>,
    },
    {
        .name = "FACT.INFO",
        .flags = "readonly fast",
        .key_flags = abi::kKeyReadOnly | abi::kKeyAccess,
        .arity = 2,
        .summary = "Describes a graph: how many facts and names it has.",
        .complexity = "O(1)",
        .since = kSince2,
        .arguments = kGraphOnly,
        .callback = callback<run<FactInfo>>,
    },
    {
        .name = "FACT.APPLY",
        .flags = "write deny-oom admin",
        .key_flags = abi::kKeyReadWrite | abi::kKeyUpdate,
        .arity = -3,
        .summary = "Applies an effect to a graph; written by servers to replicas and the AOF, not by people.",
        .complexity = "O(M log(N)) with N facts in the graph and M in the effect.",
        .since = kSince2,
        .arguments = kEffect,
        .callback = callback<run<FactApply>>,
    },
};

}  // namespace

std::span<const abi::Command> fact_command_table() { return kCommands; }

}  // namespace millrace::module
