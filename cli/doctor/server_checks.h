// Checks a server by its INFO and settings.
#pragma once

#include "cli/doctor/finding.h"
#include "cli/doctor/server_facts.h"

namespace millrace::cli::doctor {

// Version, persistence, memory, replication. `tool_version` is the version of this tool in the format of MODULE LIST:
// 10203 is 1.2.3.
void check_server(const ServerFacts& server, int64_t tool_version, Findings& findings);

}  // namespace millrace::cli::doctor
