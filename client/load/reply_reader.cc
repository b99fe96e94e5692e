#include "client/load/reply_reader.h"

#include <hiredis/hiredis.h>

namespace millrace::client {
namespace {

// hiredis wants a pointer for every reply, and does nothing with it.
char something;

void* note_string(const redisReadTask* task, char* text, size_t size) {
  if (task->type == REDIS_REPLY_ERROR) {
    auto& error = *static_cast<std::string*>(task->privdata);
    if (error.empty()) error.assign(text, size);
    // An error without a word is one all the same.
    if (error.empty()) error = "ERR";
  }
  return &something;
}

redisReplyObjectFunctions noting_functions() {
  redisReplyObjectFunctions functions{};
  functions.createString = note_string;
  // Versions of hiredis disagree about the type of the size.
  functions.createArray = [](const redisReadTask*, auto) -> void* { return &something; };
  functions.createInteger = [](const redisReadTask*, long long) -> void* { return &something; };
  functions.createNil = [](const redisReadTask*) -> void* { return &something; };
  functions.freeObject = [](void*) {};
  return functions;
}

}  // namespace

void ReplyReader::Free::operator()(redisReader* reader) const { redisReaderFree(reader); }

ReplyReader::ReplyReader() : error_(std::make_unique<std::string>()) {
  static redisReplyObjectFunctions functions = noting_functions();
  reader_.reset(redisReaderCreateWithFunctions(&functions));
  reader_->privdata = error_.get();
}

void ReplyReader::feed(std::string_view bytes) { redisReaderFeed(reader_.get(), bytes.data(), bytes.size()); }

Result<std::optional<ReplyReader::Verdict>> ReplyReader::next() {
  void* reply = nullptr;
  // Within an array, what was seen of it so far counts on.
  if (reader_->ridx == -1) error_->clear();
  if (redisReaderGetReply(reader_.get(), &reply) != REDIS_OK) {
    return fail(ErrorCode::Protocol, std::string("not the Redis protocol: ") + reader_->errstr);
  }
  if (reply == nullptr) return std::nullopt;
  return Verdict{!error_->empty(), *error_};
}

}  // namespace millrace::client
