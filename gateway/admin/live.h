// /v1/admin/live: runs GET requests of the console once a second, and sends an event for each answer that has changed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gateway/http/exchange.h"
#include "gateway/http/stream_body.h"
#include "gateway/loop/task.h"
#include "gateway/routes/services.h"

namespace millrace::gateway {

class LiveStream final : public StreamBody, public std::enable_shared_from_this<LiveStream> {
 public:
  // A path with its query, and the caller.
  struct Looked {
    std::string target;
    std::optional<uint64_t> seen = {};  // a hash of what was sent last
  };

  LiveStream(Services& services, std::shared_ptr<const Caller> caller, std::string peer, std::vector<Looked> paths);

  void begin(StreamSink& sink) override;
  void drain() override;
  bool keep_alive() override;
  void on_end() override;

 private:
  void look_later();
  Detached look();
  void tell(Looked& looked, const Response& response);

  Services& services_;
  std::shared_ptr<const Caller> caller_;
  std::string peer_;
  std::vector<Looked> paths_;
  StreamSink* sink_ = nullptr;
  EventLoop::Timer timer_;
};

Task<Response> open_live(Services& services, ExchangePtr exchange);

}  // namespace millrace::gateway
