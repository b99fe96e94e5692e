// Watches the server for consoles: it reads INFO of each node every five seconds, and while a console is used, it lists
// all Millrace keys, page by page. It runs in one loop of the gateway; its results are on the board.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "gateway/admin/board.h"
#include "gateway/admin/info_text.h"
#include "gateway/loop/task.h"
#include "gateway/routes/services.h"

namespace millrace::gateway {

class Monitor {
 public:
  // REQUIRES: `services` outlives it.
  explicit Monitor(Services& services);
  ~Monitor();
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

 private:
  // The counters of a node since it started.
  struct Counters {
    int64_t in = 0;
    int64_t out = 0;
    int64_t acked = 0;
  };

  Detached sample();
  Detached sweep();
  void sweep_later(Milliseconds time);
  bool is_asked() const;

  Services& services_;
  std::map<std::string, Counters> counters_;  // by node
  int64_t counted_ = 0;                       // when, by the steady clock
  EventLoop::Timer sample_timer_;
  EventLoop::Timer sweep_timer_;
  std::shared_ptr<bool> is_alive_ = std::make_shared<bool>(true);
};

}  // namespace millrace::gateway
