// The demo from its beginning to its end.
#pragma once

#include <chrono>
#include <optional>

#include "cli/stop_signal.h"
#include "client/connection.h"

namespace millrace::cli::demo {

struct ShowOptions {
  client::ConnectionOptions server;
  double rate = 50;  // messages a second
  client::Milliseconds length{600'000};
  client::Milliseconds connect_for{0};
};

// Plays until the time is over or a signal comes, and removes the keys that it has made. If the server goes away, it
// waits for it. Returns the exit status; errors have been reported to the user.
int play(const ShowOptions& options, StopSignal& stop);

// Removes what a demo that was killed has left.
int clean(const ShowOptions& options);

}  // namespace millrace::cli::demo
