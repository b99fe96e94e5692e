// The connections of this gateway, over all its loops.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "gateway/http/exchange.h"
#include "gateway/loop/event_loop.h"
#include "gateway/loop/task.h"
#include "gateway/routes/services.h"

namespace millrace::gateway {

struct ConnectionLine {
  uint64_t number = 0;
  std::string json;
};

struct ConnectionQuestion {
  std::string search;  // searched in the user, the address and the path; empty: all
  uint64_t after = 0;  // the number
  size_t count = 100;
};

// The interface of one loop for the other loops. post() may be called from any thread, everything else only in the
// loop's own thread.
class ConnectionHost {
 public:
  // Runs the job in the loop's thread.
  virtual void post(std::function<void()> job) = 0;
  // The first connections with a number greater than `question.after`, in the order of their numbers.
  virtual std::vector<ConnectionLine> connections(const ConnectionQuestion& question, size_t loop) = 0;
  virtual bool disconnect(uint64_t number) = 0;
  // Ends the streams that were opened with this token, and returns how many there were.
  virtual size_t end_token(const std::string& id) = 0;
  // The ids of the tokens with which streams were opened.
  virtual std::set<std::string> tokens() = 0;

 protected:
  ~ConnectionHost() = default;
};

// A page of connections: {"items":…,"cursor":…}. `cursor` is that of the previous page.
Task<Response> connections_page(Services& services, std::string search, std::string cursor, size_t count);
// Ends a connection by the id that the page shows.
Task<Response> end_connection(Services& services, std::string id);
Task<size_t> end_streams_of(Services& services, std::string token);
// Ends the streams whose tokens are revoked by now. False: the server could not be asked about all of them.
Task<bool> end_revoked_streams(Services& services);

}  // namespace millrace::gateway
