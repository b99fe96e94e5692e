// The words of the index's commands become requests of the engine, or the first error: one parser for each command.
// They do not depend on the host, so they are tested and fuzzed without one. The views in a request are borrowed from
// the words.
#pragma once

#include <cstdint>

#include "engine/base/error.h"
#include "engine/base/parts.h"
#include "engine/index/index_requests.h"
#include "module/words/argument_reader.h"

namespace millrace::module {

// IDX.CREATE index PREFIX prefix [JSON] FIELD name INTEGER|NUMBER|TEXT [NOCASE] [UNIQUE] [MANY separator] [FIELD ...]
//            [ORDER name count field ...] ...
Result<CreateIndexRequest> parse_idx_create(Words words);

// IDX.ALTER index ADD FIELD ... | DROP FIELD name | ADD ORDER ... | DROP ORDER name
Result<AlterIndexRequest> parse_idx_alter(Words words);

// IDX.FIND index [WHERE field <= v | < v | <= v | > v | >= v | BETWEEN a b | PREFIX p | IN n v ...>] ...
//          [ORDER name] [REV] [LIMIT n] [AFTER cursor] [GET n field ...] [WITHVALUES]
Result<FindRequest> parse_idx_find(Words words);

// IDX.COUNT index [WHERE ...] ...
Result<CountRequest> parse_idx_count(Words words);

// IDX.SAMPLE index [count] [WHERE ...] ...
Result<SampleRequest> parse_idx_sample(Words words);

// IDX.RECENT index [count]
Result<uint64_t> parse_idx_recent(Words words);

// IDX.COMPLETE index field prefix [LIMIT n] [WITHCOUNTS]
Result<CompleteRequest> parse_idx_complete(Words words);

// IDX.PUT index key field value [field value ...]
Result<PutDocumentRequest> parse_idx_put(Words words);

// IDX.CONFLICTS index [COUNT n], IDX.SKIPPED index [COUNT n]
Result<uint64_t> parse_idx_conflicts(Words words);
Result<uint64_t> parse_idx_skipped(Words words);

// IDX.CHECK index [REPAIR]
Result<CheckIndexRequest> parse_idx_check(Words words);

// IDX.APPLY index <SCHEMA | DOCUMENTS | LINES | SKIPPED | RECENT> bytes
Result<Part> parse_idx_apply(Words words);

}  // namespace millrace::module
