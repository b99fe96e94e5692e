// A log or a channel as a stream of events, for the routes that offer one.
#pragma once

#include "gateway/loop/task.h"
#include "gateway/routes/router.h"
#include "gateway/stream/message.h"

namespace millrace::gateway {

// From Last-Event-ID (or ?last_event_id=) on, else from ?from=, else what is new from now on; ?tags= lets only those
// through.
Task<Response> follow_topic(Services& services, ExchangePtr exchange, TopicKey topic);

}  // namespace millrace::gateway
