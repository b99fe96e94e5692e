#include "client/reply_stream.h"

#include <hiredis/hiredis.h>

namespace millrace::client {
namespace {

Reply value_of(const redisReply& reply) {
  Reply value;
  switch (reply.type) {
    case REDIS_REPLY_INTEGER:
      value.kind = Reply::Kind::Integer;
      value.integer = reply.integer;
      break;
    case REDIS_REPLY_STRING:
    case REDIS_REPLY_STATUS:
    case REDIS_REPLY_ERROR:
      value.kind = reply.type == REDIS_REPLY_STRING   ? Reply::Kind::Text
                   : reply.type == REDIS_REPLY_STATUS ? Reply::Kind::Status
                                                      : Reply::Kind::Error;
      value.text.assign(reply.str, static_cast<size_t>(reply.len));
      break;
    case REDIS_REPLY_ARRAY:
      value.kind = Reply::Kind::Array;
      value.items.reserve(reply.elements);
      for (size_t i = 0; i < reply.elements; ++i) value.items.push_back(value_of(*reply.element[i]));
      break;
    default:
      break;  // nil
  }
  return value;
}

}  // namespace

ReplyStream::ReplyStream() : reader_(redisReaderCreate()) {}

void ReplyStream::Free::operator()(redisReader* reader) const { redisReaderFree(reader); }

void ReplyStream::feed(std::string_view bytes) { redisReaderFeed(reader_.get(), bytes.data(), bytes.size()); }

Result<std::optional<Reply>> ReplyStream::next() {
  void* answer = nullptr;
  if (redisReaderGetReply(reader_.get(), &answer) != REDIS_OK) return fail(ErrorCode::Protocol, reader_->errstr);
  if (answer == nullptr) return std::nullopt;
  const std::unique_ptr<redisReply, void (*)(redisReply*)> reply(static_cast<redisReply*>(answer),
                                                                 [](redisReply* one) { freeReplyObject(one); });
  return value_of(*reply);
}

}  // namespace millrace::client
