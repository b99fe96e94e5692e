// Reads one request from the bytes of a connection. The parser is Beast's. Ambiguous heads that Beast would tolerate
// are refused first (head_check.h).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "gateway/http/request.h"

namespace millrace::gateway {

struct RequestLimits {
  size_t head_bytes = 16 << 10;  // size of the request line and all headers
  size_t body_bytes = 1 << 20;
};

class RequestReader {
 public:
  enum class State { Head, Body, Complete, Refused };

  explicit RequestReader(RequestLimits limits);
  ~RequestReader();

  // Takes bytes up to the end of the request and returns how many. REQUIRES: neither Complete nor Refused.
  size_t put(std::string_view bytes);

  State state() const { return state_; }
  // For a refused request: 400, 413, 431, 501 or 505, and why.
  int status() const { return status_; }
  const std::string& reason() const { return reason_; }
  // Whether the client waits for "100 Continue" before it sends the body; true once.
  bool takes_continue();
  // REQUIRES: Complete.
  Request take();

 private:
  struct Parser;

  size_t put_head(std::string_view bytes);
  size_t put_body(std::string_view bytes);
  void take_head();
  void refuse(int status, std::string reason);

  RequestLimits limits_;
  State state_ = State::Head;
  int status_ = 0;
  std::string reason_;
  std::string unparsed_;  // the head so far, then bytes that Beast cannot parse without more
  bool wants_continue_ = false;
  Request request_;
  std::unique_ptr<Parser> parser_;
};

}  // namespace millrace::gateway
