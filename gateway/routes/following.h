// A log or a channel as a stream of events, for the routes that offer one.
#pragma once

#include "gateway/loop/task.h"
#include "gateway/routes/router.h"
#include "gateway/stream/message.h"

namespace millrace::gateway {

// Starts after Last-Event-ID (or ?last_event_id=), else at ?from=, else with new messages only. ?tags= selects messages
// by tag.
Task<Response> follow_topic(Services& services, ExchangePtr exchange, TopicKey topic);

}  // namespace millrace::gateway
