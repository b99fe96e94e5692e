#include "module/abi/reply.h"

namespace millrace::abi {

namespace {

const char* prefix_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::WrongType:
      return "WRONGTYPE ";
    case ErrorCode::NoGroup:
      return "NOGROUP ";
    case ErrorCode::NoSubscriber:
      return "NOSUB ";
    case ErrorCode::NotOwner:
      return "NOTOWNER ";
    case ErrorCode::BadReceipt:
      return "BADRECEIPT ";
    case ErrorCode::BadPosition:
      return "BADPOSITION ";
    case ErrorCode::NoFilter:
      return "NOFILTER ";
    case ErrorCode::BadFilter:
      return "BADFILTER ";
    case ErrorCode::NoWorker:
      return "NOWORKER ";
    case ErrorCode::NoWorkers:
      return "NOWORKERS ";
    case ErrorCode::NoFeed:
      return "NOFEED ";
    case ErrorCode::NoIndex:
      return "NOINDEX ";
    case ErrorCode::NotUnique:
      return "NOTUNIQUE ";
    case ErrorCode::Building:
      return "BUILDING ";
    case ErrorCode::ReadOnly:
      return "READONLY ";
    case ErrorCode::NoRights:
      return "NOPERM ";
    case ErrorCode::Refused:
      return "FULL ";
    case ErrorCode::NoMemory:
      return "OOM ";
    case ErrorCode::OfHost:
      return "";
    case ErrorCode::Syntax:
    case ErrorCode::Range:
    case ErrorCode::Full:
    case ErrorCode::Exists:
    case ErrorCode::Corrupt:
      return "ERR ";
  }
  return "ERR ";
}

}  // namespace

void Reply::error(const Error& error) const {
  const std::string line = prefix_of(error.code) + error.text;
  record_ != nullptr ? record_->error(line) : void(host.ReplyWithError(context_, line.c_str()));
}

void RecordedReply::add(Kind kind, uint64_t number) { parts_.push_back({kind, number}); }

void RecordedReply::add(Kind kind, ByteView value) {
  add(kind, value.size());
  bytes_ += value;
}

void RecordedReply::send(Reply reply) const {
  size_t at = 0;
  const auto text = [&](uint64_t size) {
    const ByteView taken = ByteView(bytes_).substr(at, size);
    at += size;
    return taken;
  };
  for (const Part& part : parts_) {
    switch (part.kind) {
      case Kind::Integer:
        reply.integer(static_cast<int64_t>(part.number));
        break;
      case Kind::Bytes:
        reply.bytes(text(part.number));
        break;
      case Kind::Simple:
        reply.simple(std::string(text(part.number)).c_str());
        break;
      case Kind::Array:
        reply.array(part.number);
        break;
      case Kind::Map:
        reply.map(part.number);
        break;
      case Kind::Null:
        reply.null();
        break;
      case Kind::NullArray:
        reply.null_array();
        break;
      case Kind::Error:
        host.ReplyWithError(reply.context_, std::string(text(part.number)).c_str());
        break;
    }
  }
}

}  // namespace millrace::abi
