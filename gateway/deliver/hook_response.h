// Reads the answer of a receiver from the bytes of a connection. Only its status and Retry-After are used. The body is
// read as far as necessary to reuse the connection.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace millrace::gateway {

class HookResponseReader {
 public:
  enum class State { Reading, Complete, Malformed };

  HookResponseReader();
  ~HookResponseReader();

  // Takes bytes. REQUIRES: Reading.
  void put(std::string_view bytes);
  // The receiver has closed the connection. REQUIRES: Reading.
  void put_end();

  State state() const { return state_; }
  // Whether any byte was received.
  bool has_begun() const { return has_begun_; }
  // REQUIRES: Complete.
  int status() const { return status_; }
  const std::optional<std::string>& retry_after() const { return retry_after_; }
  // Whether another request may be sent on the connection.
  bool keeps_alive() const { return keeps_alive_; }

 private:
  struct Parser;
  void finish(bool keeps_alive);

  State state_ = State::Reading;
  std::unique_ptr<Parser> parser_;
  std::string unparsed_;
  int status_ = 0;
  int informational_ = 0;  // informational answers before the final one, such as 103
  std::optional<std::string> retry_after_;
  bool has_begun_ = false;
  bool keeps_alive_ = false;
};

}  // namespace millrace::gateway
