// Answers to clients. A Reply writes to the client at once, or into a RecordedReply. The command that serves a waiting
// client decides the answer, but the host takes the answer a little later, when other commands may have changed the key
// again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/error.h"
#include "module/abi/host.h"

namespace millrace::abi {

class Reply;

class RecordedReply {
 public:
  void integer(int64_t value) { add(Kind::Integer, static_cast<uint64_t>(value)); }
  void bytes(ByteView value) { add(Kind::Bytes, value); }
  void simple(ByteView text) { add(Kind::Simple, text); }
  void array(uint64_t size) { add(Kind::Array, size); }
  // Arrays whose size comes later do not nest.
  void array_later() {
    later_ = parts_.size();
    array(0);
  }
  void array_was(uint64_t size) { parts_[later_].number = size; }
  void map(uint64_t pairs) { add(Kind::Map, pairs); }
  void null() { add(Kind::Null, 0); }
  void null_array() { add(Kind::NullArray, 0); }
  // The whole error line.
  void error(ByteView line) { add(Kind::Error, line); }

  bool is_error() const { return !parts_.empty() && parts_.front().kind == Kind::Error; }
  void send(Reply reply) const;

 private:
  enum class Kind : uint8_t { Integer, Bytes, Simple, Array, Map, Null, NullArray, Error };
  struct Part {
    Kind kind;
    uint64_t number;
  };

  // Not inlined: most answers are written at once, and that path should be short.
  [[gnu::noinline]] void add(Kind kind, uint64_t number);
  [[gnu::noinline]] void add(Kind kind, ByteView value);

  std::vector<Part> parts_;
  std::string bytes_;  // all byte strings, concatenated
  size_t later_ = 0;
};

// Nested answers are written head first: array(2), then two values. Cheap to copy; borrows what it writes to.
class Reply {
 public:
  explicit Reply(HostContext* context) : context_(context) {}
  explicit Reply(RecordedReply& record) : record_(&record) {}

  void integer(int64_t value) const {
    if (record_ != nullptr) [[unlikely]] {
      return record_->integer(value);
    }
    host.ReplyWithLongLong(context_, value);
  }
  void bytes(ByteView value) const {
    if (record_ != nullptr) [[unlikely]] {
      return record_->bytes(value);
    }
    host.ReplyWithStringBuffer(context_, value.data(), value.size());
  }
  void ok() const { simple("OK"); }
  // Text without line breaks, as a simple string.
  void simple(const char* text) const {
    record_ != nullptr ? record_->simple(text) : void(host.ReplyWithSimpleString(context_, text));
  }
  void array(uint64_t size) const {
    if (record_ != nullptr) [[unlikely]] {
      return record_->array(size);
    }
    host.ReplyWithArray(context_, static_cast<long>(size));
  }
  // An array whose size is known only when it is written: array_later(), the values, array_was(size).
  void array_later() const {
    record_ != nullptr ? record_->array_later() : void(host.ReplyWithArray(context_, kPostponedLength));
  }
  void array_was(uint64_t size) const {
    record_ != nullptr ? record_->array_was(size) : host.ReplySetArrayLength(context_, static_cast<long>(size));
  }
  // A map for RESP3, a flat array for RESP2. `pairs` names and values follow.
  void map(uint64_t pairs) const {
    record_ != nullptr ? record_->map(pairs) : void(host.ReplyWithMap(context_, static_cast<long>(pairs)));
  }
  void null() const { record_ != nullptr ? record_->null() : void(host.ReplyWithNull(context_)); }
  void null_array() const { record_ != nullptr ? record_->null_array() : void(host.ReplyWithNullArray(context_)); }
  void error(const Error& error) const;

 private:
  friend class RecordedReply;

  HostContext* context_ = nullptr;
  RecordedReply* record_ = nullptr;
};

}  // namespace millrace::abi
