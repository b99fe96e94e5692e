// The words of the commands of graphs become requests of the engine, or the first error: one parser for each command.
// They do not depend on the host, so they are tested and fuzzed without one. The views in a request are borrowed from
// the words.
//
// In queries, a word that begins with = is the name after the =. A single * matches any name, where that is allowed. So
// =* is the name *, and ==x is the name =x. FACT.ADD and FACT.DEL take names as they are.
#pragma once

#include "engine/base/error.h"
#include "engine/base/parts.h"
#include "engine/fact/fact_requests.h"
#include "module/words/argument_reader.h"

namespace millrace::module {

// FACT.ADD graph subject predicate object [subject predicate object ...], FACT.DEL the same
Result<FactWords> parse_fact_add(Words words);
Result<FactWords> parse_fact_del(Words words);

// FACT.FIND graph subject|* predicate|* object|* [LIMIT n] [AFTER cursor]
Result<FactFindRequest> parse_fact_find(Words words);

// FACT.COUNT graph subject|* predicate|* object|*
Result<FactQuestion> parse_fact_count(Words words);

// FACT.WALK graph start predicate|* [REV] [DEPTH n] [LIMIT n] [TO end]
Result<FactWalkRequest> parse_fact_walk(Words words);

// FACT.APPLY graph FACTS bytes
Result<Part> parse_fact_apply(Words words);

}  // namespace millrace::module
