// The words of MILLRACE.KEYS become a request, or the first error. The parser does not depend on the host. The views in
// the request are borrowed from the words.
#pragma once

#include "engine/base/error.h"
#include "engine/keys/keys_requests.h"
#include "module/words/argument_reader.h"

namespace millrace::module {

// MILLRACE.KEYS [TYPE type] [MATCH pattern] [CURSOR cursor] [COUNT count] [WITHINFO]
Result<KeysRequest> parse_millrace_keys(Words words);

}  // namespace millrace::module
