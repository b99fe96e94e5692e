// Checks keys of our types: what keeps a log from shrinking, and what is stuck.
#pragma once

#include <string>

#include "cli/doctor/finding.h"
#include "client/export/key_walk.h"

namespace millrace::cli::doctor {

// Something that has waited longer than this is a finding.
inline constexpr int64_t kOldMs = 600'000;

// Checks one key. Keys of other types are ignored. BadInput: the server refuses a command.
client::Result<void> check_key(client::KeyConnection& server, const client::FoundKey& key, Findings& findings);

// Clients that wait for locks on this node, and for each other.
client::Result<void> check_locks(client::Connection& node, Findings& findings);

}  // namespace millrace::cli::doctor
