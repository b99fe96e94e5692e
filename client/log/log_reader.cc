#include "client/log/log_reader.h"

#include <utility>
#include <vector>

namespace millrace::client {

LogReader::LogReader(Connection& connection, std::string key, LogReaderOptions options)
    : connection_(connection),
      key_(std::move(key)),
      options_(options),
      position_(options.from),
      frame_(std::string_view()) {
  // The server answers when the time is over; a client that waits no longer would take it for gone.
  if (options_.wait) connection_.set_answer_timeout(Milliseconds(0));
}

LogReader::~LogReader() {
  if (is_asked_) connection_.close();
}

bool LogReader::next(Message& message) {
  while (!failure_) {
    if (is_open_) {
      if (frame_.next(message)) {
        position_ = message.offset + 1;
        return true;
      }
      is_open_ = false;
      if (auto wrong = frame_.failure()) return fail(*std::move(wrong));
      position_ = frame_.head().end;
    }
    if (!is_asked_ && !ask(position_)) return false;
    if (!receive()) return false;
  }
  return false;
}

bool LogReader::ask(Offset from) {
  const std::string start =
      (options_.epoch ? std::to_string(options_.epoch->value()) + "." : "") + std::to_string(from.value());
  const std::string batch = std::to_string(options_.batch);
  const std::string wait = options_.wait ? std::to_string(options_.wait->count()) : "";
  std::vector<std::string_view> words = {"TREAD", key_, start, batch, "FRAMED"};
  if (options_.wait) words.insert(words.end(), {"BLOCK", wait});
  if (auto sent = connection_.send(words); !sent) return fail(sent.error());
  is_asked_ = true;
  return true;
}

// Takes the frame that was asked for, and asks for the one behind it. False if there are no messages.
bool LogReader::receive() {
  auto reply = connection_.receive();
  is_asked_ = false;
  if (!reply) return fail(reply.error());
  if (reply->is_error()) return fail({ErrorCode::BadInput, reply->text});
  if (reply->is_nil()) return false;
  received_ = std::move(reply->text);
  bytes_ += received_.size();
  frame_.open(received_);
  if (auto wrong = frame_.failure()) return fail(*std::move(wrong));
  const FrameHead& head = frame_.head();
  // A log that does not exist has none: whatever is written there then is the one that is read.
  if (head.log_next != Offset(1)) options_.epoch = head.epoch;
  if (head.count == 0) return false;
  is_open_ = true;
  return ask(head.end);
}

bool LogReader::fail(Error error) {
  failure_ = std::move(error);
  return false;
}

}  // namespace millrace::client
