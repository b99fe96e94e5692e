#include "cli/doctor/server_checks.h"

namespace millrace::cli::doctor {
namespace {

using Weight = Finding::Weight;

void check_version(const ServerFacts& server, int64_t tool_version, Findings& findings) {
  if (!server.has_module()) {
    findings.push_back({Weight::Problem, "module", "MODULE LIST does not name the millrace module",
                        "start the server with loadmodule /path/to/millrace.so (docs/operations.md, Install)"});
  } else if (server.module_version() != tool_version) {
    findings.push_back({Weight::Advice, "module",
                        "it is version " + std::to_string(server.module_version()) + ", and this tool is " +
                            std::to_string(tool_version),
                        "install both from one package; a newer module reads what an older one has saved"});
  }
}

void check_persistence(const ServerFacts& server, Findings& findings) {
  const bool has_aof = server.info("aof_enabled") == "1";
  const bool has_rdb = !server.setting("save").empty();
  if (!has_aof && !has_rdb) {
    findings.push_back({Weight::Problem, "persistence", "nothing is saved: a restart loses everything",
                        "CONFIG SET appendonly yes, and write it to the configuration"});
  } else if (!has_aof) {
    findings.push_back({Weight::Advice, "persistence",
                        "there is no append-only file: a crash loses what came after the last snapshot",
                        "CONFIG SET appendonly yes, and write it to the configuration"});
  } else if (server.setting("appendfsync") == "no") {
    findings.push_back({Weight::Advice, "persistence",
                        "appendfsync is no: a crash of the machine may lose half a minute",
                        "CONFIG SET appendfsync everysec, or always if not even a second may be lost"});
  }
  if (has_aof && server.info("aof_last_write_status") == "err") {
    findings.push_back({Weight::Problem, "persistence", "the append-only file cannot be written: writes are refused",
                        "see the server's log; usually the disk is full"});
  }
  if (has_aof && server.info("aof_last_bgrewrite_status") == "err") {
    findings.push_back({Weight::Problem, "persistence", "the last rewrite of the append-only file failed",
                        "see the server's log; a rewrite needs memory for a second process, and room on the disk"});
  }
  if (server.info("rdb_last_bgsave_status") == "err") {
    findings.push_back({Weight::Problem, "persistence", "the last snapshot failed",
                        "see the server's log; the server may refuse writes until one succeeds"});
  }
}

void check_memory(const ServerFacts& server, Findings& findings) {
  const int64_t most = server.number("maxmemory"), used = server.number("used_memory");
  if (most == 0) {
    findings.push_back({Weight::Advice, "memory", "maxmemory is not set: a server that grows is ended by the system",
                        "set maxmemory to what the machine can spare, a third less if it saves snapshots"});
  } else if (used > most / 10 * 9) {
    findings.push_back({Weight::Problem, "memory",
                        std::to_string(used * 100 / most) + " % of maxmemory are in use: writes are refused at 100 %",
                        "limit logs with TRETAIN, look for groups that hold them (millrace groups), or add memory"});
  }
  const std::string policy = server.info("maxmemory_policy");
  if (policy.starts_with("allkeys")) {
    findings.push_back({Weight::Problem, "memory", "maxmemory-policy is " + policy + ": whole logs may be evicted",
                        "CONFIG SET maxmemory-policy noeviction, or one of volatile-..."});
  }
}

void check_replication(const ServerFacts& server, Findings& findings) {
  if (server.info("role") == "slave" && server.info("master_link_status") == "down") {
    findings.push_back({Weight::Problem, "replication", "this replica has lost its master",
                        "see both servers' logs; what is read here is old"});
  }
}

}  // namespace

void check_server(const ServerFacts& server, int64_t tool_version, Findings& findings) {
  check_version(server, tool_version, findings);
  check_persistence(server, findings);
  check_memory(server, findings);
  check_replication(server, findings);
}

}  // namespace millrace::cli::doctor
