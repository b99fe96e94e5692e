// Messages as an answer: to a client that asked, or recorded for one that waited. `Out` is
// abi::Reply or abi::RecordedReply.
#pragma once

#include "engine/log/log.h"
#include "module/abi/context.h"
#include "module/commands/log/log_requests.h"
#include "module/host/database_key.h"

namespace millrace::module {

// True if the request can be answered from this log (or from none) without waiting.
// `from` is the request's start in it.
bool has_something_to_read(const Log* log, Offset from, const ReadRequest& request);

// Answers a read without a group; a missing log is empty.
template <class Out>
void write_messages(Out& out, const Log* log, Offset from, const ReadRequest& request);

// Answers a read with a group. REQUIRES: the log has not changed since the delivery.
template <class Out>
void write_delivery(Out& out, Log& log, const ReadRequest& request, const Delivery& delivery);

// Answers a read that waited in vain: null, or with WITHINFO the information alone.
void write_nothing_came(abi::Reply reply, const DatabaseKey& place, bool with_info);

}  // namespace millrace::module
