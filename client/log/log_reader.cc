#include "client/log/log_reader.h"

#include <utility>
#include <vector>

namespace millrace::client {

LogReader::LogReader(Connection& connection, std::string key, LogReaderOptions options)
    : connection_(connection),
      key_(std::move(key)),
      options_(options),
      position_(options.from),
      ahead_(options.threads == 0
                 ? nullptr
                 : std::make_unique<UnpackAhead>(options.threads,
                                                 [this] {
                                                   // With `wait`, an answer may take long, and there are messages to
                                                   // return now: so it is not waited for here.
                                                   if (is_asked_ && !options_.wait && answers_.size() == 1) {
                                                     take_answer();
                                                   }
                                                 })),
      frame_(ahead_.get()) {
  // The server answers when the time is over. With its own timeout, the client might give up before that.
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
      answers_.pop_front();
    }
    if (answers_.empty()) {
      if (!is_asked_) {
        if (auto asked = ask(position_); !asked) return fail(asked.error());
      }
      take_answer();
    }
    Answer& answer = answers_.front();
    if (answer.failure) return fail(*std::move(answer.failure));
    if (!answer.has_messages) {
      answers_.pop_front();
      return false;
    }
    frame_.open(answer.frame);
    is_open_ = true;
  }
  return false;
}

Result<void> LogReader::ask(Offset from) {
  const std::string start =
      (options_.epoch ? std::to_string(options_.epoch->value()) + "." : "") + std::to_string(from.value());
  const std::string batch = std::to_string(options_.batch);
  const std::string wait = options_.wait ? std::to_string(options_.wait->count()) : "";
  std::vector<std::string_view> words = {"TREAD", key_, start, batch, "FRAMED"};
  if (options_.wait) words.insert(words.end(), {"BLOCK", wait});
  if (auto sent = connection_.send(words); !sent) return sent;
  is_asked_ = true;
  return {};
}

void LogReader::take_answer() {
  const Answer& answer = answers_.emplace_back(receive());
  if (ahead_ && answer.has_messages) ahead_->add(answer.frame);
}

// Receives the answer to the last request. If it has messages, also sends the request for the next frame.
LogReader::Answer LogReader::receive() {
  auto reply = connection_.receive();
  is_asked_ = false;
  if (!reply) return {.frame = {}, .failure = reply.error()};
  if (reply->is_error()) return {.frame = {}, .failure = Error{ErrorCode::BadInput, reply->text}};
  if (reply->is_nil()) return {};
  Answer answer{.frame = std::move(reply->text)};
  bytes_ += answer.frame.size();
  const FrameReader frame(answer.frame);
  answer.failure = frame.failure();
  if (answer.failure) return answer;
  const FrameHead& head = frame.head();
  // A log that does not exist yet has no epoch: if it is created later, the reader continues with it.
  if (head.log_next != Offset(1)) options_.epoch = head.epoch;
  answer.has_messages = head.count != 0;
  if (answer.has_messages) {
    if (auto asked = ask(head.end); !asked) answer.failure = asked.error();
  }
  return answer;
}

bool LogReader::fail(Error error) {
  failure_ = std::move(error);
  return false;
}

}  // namespace millrace::client
