// Which server answers, and what it can have kept of what another one, or the same one before it
// was restarted, had confirmed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "client/connection.h"

namespace millrace::client {

// As INFO says it.
struct ServerIdentity {
  std::string run_id;             // another one for each start of a server
  std::string history;            // master_replid: of which history its data is the newest state
  std::string earlier_history;    // master_replid2: the one that its own goes on from, if any
  int64_t earlier_end = 0;        // second_repl_offset: the first offset of that which it lacks
  int64_t offset = 0;             // master_repl_offset
  bool has_append_only = false;   // it writes an append-only file,
  bool is_always_synced = false;  // and has it on the disk before it answers

  bool operator==(const ServerIdentity&) const = default;
};

// Nothing: there is no run id in it.
std::optional<ServerIdentity> parse_identity(std::string_view info);

// Asks a server. Nothing: it does not say.
std::optional<ServerIdentity> ask_identity(Connection& server);

// What the server has of all that was confirmed by then.
struct Kept {
  enum class What {
    All,
    UpToOffset,     // of the history before: what lies before the offset `end`
    AllButTheLast,  // an append-only file may lack the last two seconds
    Nothing,        // nobody knows how much it is; perhaps nothing
    Unsaid,         // one of the two does not identify itself
  };
  What what;
  int64_t end = 0;

  bool operator==(const Kept&) const = default;
};

Kept what_is_kept(const std::optional<ServerIdentity>& before, const std::optional<ServerIdentity>& now);

}  // namespace millrace::client
