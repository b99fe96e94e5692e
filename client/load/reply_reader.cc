#include "client/load/reply_reader.h"

#include <hiredis/hiredis.h>

namespace millrace::client {
namespace {

// hiredis requires a pointer for every reply, but does not use it.
char something;

void* note_string(const redisReadTask* task, char* text, size_t size) {
  if (task->type != REDIS_REPLY_ERROR) return &something;
  auto& seen = *static_cast<ReplyReader::Seen*>(task->privdata);
  // An empty error is still an error.
  const std::string error = size == 0 ? "ERR" : std::string(text, size);
  if (seen.error.empty()) seen.error = error;
  if (task->parent == nullptr) return &something;
  while (task->parent->parent != nullptr) task = task->parent;
  const auto item = static_cast<size_t>(task->idx);
  if (seen.within.empty() || seen.within.back().item != item) seen.within.push_back({item, error});
  return &something;
}

void* note_null(const redisReadTask* task) {
  if (task->parent == nullptr) static_cast<ReplyReader::Seen*>(task->privdata)->is_null = true;
  return &something;
}

redisReplyObjectFunctions noting_functions() {
  redisReplyObjectFunctions functions{};
  functions.createString = note_string;
  // Versions of hiredis disagree about the type of the size.
  functions.createArray = [](const redisReadTask*, auto) -> void* { return &something; };
  functions.createInteger = [](const redisReadTask*, long long) -> void* { return &something; };
  functions.createNil = note_null;
  functions.freeObject = [](void*) {};
  return functions;
}

}  // namespace

void ReplyReader::Free::operator()(redisReader* reader) const { redisReaderFree(reader); }

ReplyReader::ReplyReader() : seen_(std::make_unique<Seen>()) {
  static redisReplyObjectFunctions functions = noting_functions();
  reader_.reset(redisReaderCreateWithFunctions(&functions));
  reader_->privdata = seen_.get();
}

void ReplyReader::feed(std::string_view bytes) { redisReaderFeed(reader_.get(), bytes.data(), bytes.size()); }

Result<std::optional<ReplyReader::Verdict>> ReplyReader::next() {
  void* reply = nullptr;
  // Within an array, what was seen so far is kept.
  if (reader_->ridx == -1) *seen_ = {};
  if (redisReaderGetReply(reader_.get(), &reply) != REDIS_OK) {
    return fail(ErrorCode::Protocol, std::string("not the Redis protocol: ") + reader_->errstr);
  }
  if (reply == nullptr) return std::nullopt;
  return Verdict{!seen_->error.empty(), seen_->error, seen_->is_null, seen_->within};
}

}  // namespace millrace::client
