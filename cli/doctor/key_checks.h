// Judges keys of our types: what holds a log's tail, what is stuck.
#pragma once

#include <string>

#include "cli/doctor/finding.h"
#include "client/export/key_walk.h"

namespace millrace::cli::doctor {

// Above this age something that waits is a finding.
inline constexpr int64_t kOldMs = 600'000;

// Asks for one key. Other types than ours are nothing to it. BadInput: the server refuses it.
client::Result<void> check_key(client::KeyConnection& server, const client::FoundKey& key, Findings& findings);

// Clients that wait for locks on this node, and for each other.
client::Result<void> check_locks(client::Connection& node, Findings& findings);

}  // namespace millrace::cli::doctor
