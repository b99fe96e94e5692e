#include "module/runtime/command_rows.h"
#include "module/suggest/suggest_changes.h"
#include "module/suggest/suggest_commands.h"
#include "module/suggest/suggest_shows.h"

namespace millrace::module {

namespace {

constexpr ArgumentDoc kDictionary{.name = "dictionary", .kind = Key};

constexpr ArgumentDoc kScores[] = {{.name = "increment", .kind = Double, .token = "INCR"},
                                   {.name = "score", .kind = Double, .token = "SCORE"}};
constexpr ArgumentDoc kAdd[] = {
    kDictionary, {.name = "term"}, {.name = "change", .kind = OneOf, .flags = kOptional, .parts = kScores}};
constexpr ArgumentDoc kGet[] = {kDictionary,
                                {.name = "prefix"},
                                {.name = "count", .kind = Integer, .token = "LIMIT", .flags = kOptional},
                                {.name = "fuzzy", .kind = PureToken, .token = "FUZZY", .flags = kOptional},
                                {.name = "withscores", .kind = PureToken, .token = "WITHSCORES", .flags = kOptional},
                                {.name = "nocase", .kind = PureToken, .token = "NOCASE", .flags = kOptional}};
constexpr ArgumentDoc kDel[] = {kDictionary, {.name = "term", .flags = kMultiple}};
constexpr ArgumentDoc kDecay[] = {kDictionary, {.name = "percent", .kind = Double}};
constexpr ArgumentDoc kDictionaryOnly[] = {kDictionary};
constexpr ArgumentDoc kSuggestEffect[] = {kDictionary, {.name = "terms", .token = "TERMS"}};

constexpr abi::Command kSuggestCommands[] = {
    {
        .name = "SUG.ADD",
        .flags = "write deny-oom fast",
        .key_flags = abi::kKeyReadWrite | abi::kKeyInsert,
        .arity = -3,
        .summary = "Adds to the score of a term, or sets it; returns the score.",
        .complexity = "O(log(N)) with N terms in the dictionary.",
        .since = kSince2,
        .arguments = kAdd,
        .callback = callback<run<SugAdd>>,
    },
    {
        .name = "SUG.GET",
        .flags = "readonly",
        .key_flags = abi::kKeyReadOnly | abi::kKeyAccess,
        .arity = -3,
        .summary = "Returns the best terms that begin with a prefix, the best first.",
        .complexity =
            "O(M log(N)) with N terms in the dictionary and M returned; with FUZZY or NOCASE also O(log(N)) for "
            "each of at most 10000 prefixes that are looked at.",
        .since = kSince2,
        .arguments = kGet,
        .callback = callback<run<SugGet>>,
    },
    {
        .name = "SUG.DEL",
        .flags = "write fast",
        .key_flags = abi::kKeyReadWrite | abi::kKeyDelete,
        .arity = -3,
        .summary = "Removes terms from a dictionary; returns how many were there.",
        .complexity = "O(log(N)) for each term, with N terms in the dictionary.",
        .since = kSince2,
        .arguments = kDel,
        .callback = callback<run<SugDel>>,
    },
    {
        .name = "SUG.DECAY",
        .flags = "write fast",
        .key_flags = abi::kKeyReadWrite | abi::kKeyUpdate,
        .arity = 3,
        .summary = "Reduces all scores of a dictionary by a percentage; returns how many terms there are.",
        .complexity = "O(1); once in 900 halvings of the scores, O(N) with N terms.",
        .since = kSince2,
        .arguments = kDecay,
        .callback = callback<run<SugDecay>>,
    },
    {
        .name = "SUG.INFO",
        .flags = "readonly fast",
        .key_flags = abi::kKeyReadOnly | abi::kKeyAccess,
        .arity = 2,
        .summary = "Describes a dictionary: how many terms it has, and the best score.",
        .complexity = "O(1)",
        .since = kSince2,
        .arguments = kDictionaryOnly,
        .callback = callback<run<SugInfo>>,
    },
    {
        .name = "SUG.APPLY",
        .flags = "write deny-oom admin",
        .key_flags = abi::kKeyReadWrite | abi::kKeyUpdate,
        .arity = -3,
        .summary = "Applies an effect to a dictionary; written by servers to replicas and the AOF, not by people.",
        .complexity = "O(M log(N)) with N terms in the dictionary and M in the effect.",
        .since = kSince2,
        .arguments = kSuggestEffect,
        .callback = callback<run<SugApply>>,
    },
};

}  // namespace

std::span<const abi::Command> suggest_command_table() { return kSuggestCommands; }

}  // namespace millrace::module
