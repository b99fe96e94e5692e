// Identifies the server that answers, and tells which confirmed data it can have: data that another server, or the same
// one before a restart, had confirmed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "client/connection.h"

namespace millrace::client {

// Values from INFO.
struct ServerIdentity {
  std::string run_id;             // different for each start of a server
  std::string history;            // master_replid: the replication history that its data belongs to
  std::string earlier_history;    // master_replid2: the history that its own one continues, if any
  int64_t earlier_end = 0;        // second_repl_offset: the first offset of that history that it does not have
  int64_t offset = 0;             // master_repl_offset
  bool has_append_only = false;   // it writes an append-only file,
  bool is_always_synced = false;  // and syncs it to disk before it answers

  bool operator==(const ServerIdentity&) const = default;
};

// nullopt: the text has no run id.
std::optional<ServerIdentity> parse_identity(std::string_view info);

// Asks a server. nullopt: it does not answer with an identity.
std::optional<ServerIdentity> ask_identity(Connection& server);

// How much of the confirmed data the server has.
struct Kept {
  enum class What {
    All,
    UpToOffset,     // the part of the earlier history before the offset `end`
    AllButTheLast,  // an append-only file may lack the last two seconds
    Nothing,        // unknown; perhaps nothing
    Unsaid,         // one of the two servers does not identify itself
  };
  What what;
  int64_t end = 0;

  bool operator==(const Kept&) const = default;
};

Kept what_is_kept(const std::optional<ServerIdentity>& before, const std::optional<ServerIdentity>& now);

}  // namespace millrace::client
