// The simplest model of a log: all messages in one deque, all searches linear. It is simple enough to be obviously
// correct.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/log/retention.h"

namespace millrace::testing {

struct ModelMessage {
  uint64_t offset;
  std::string tag;
  std::string entry;
  uint64_t time;

  uint64_t payload() const { return tag.size() + entry.size(); }
};

class LogModel {
 public:
  uint64_t first() const { return messages.empty() ? next : messages.front().offset; }

  uint64_t payload() const {
    uint64_t sum = 0;
    for (const ModelMessage& message : messages) sum += message.payload();
    return sum;
  }

  bool tick(uint64_t now) {
    if (now <= clock) return false;
    clock = now;
    return true;
  }

  uint64_t append(std::string tag, std::string entry) {
    messages.push_back({next, std::move(tag), std::move(entry), clock});
    return next++;
  }

  uint64_t evict_before(uint64_t offset) {
    return evict_while([&] { return messages.front().offset < offset; });
  }
  uint64_t keep_newest(uint64_t count) {
    return evict_while([&] { return messages.size() > count; });
  }
  uint64_t enforce_size_limits() {
    uint64_t left = payload();
    return evict_while([&] {
      const bool goes = (retention.count != 0 && messages.size() > retention.count) ||
                        (retention.bytes != 0 && left > retention.bytes && messages.size() > 1);
      if (goes) left -= messages.front().payload();
      return goes;
    });
  }
  uint64_t enforce_age(uint64_t now) {
    if (retention.age_ms == 0) return 0;
    return evict_while([&] { return messages.front().time + retention.age_ms <= now; });
  }
  std::optional<uint64_t> next_age_due() const {
    if (retention.age_ms == 0 || messages.empty()) return std::nullopt;
    return messages.front().time + retention.age_ms;
  }

  // True if a message with the same tag was written after it.
  bool has_newer(const ModelMessage& message) const {
    return std::ranges::any_of(
        messages, [&](const ModelMessage& other) { return other.offset > message.offset && other.tag == message.tag; });
  }
  // Takes one message out; false if it is not there.
  bool remove(uint64_t offset) {
    return std::erase_if(messages, [&](const ModelMessage& message) { return message.offset == offset; }) == 1;
  }

  uint64_t seek(uint64_t time) const {
    for (const ModelMessage& message : messages) {
      if (message.time >= time) return message.offset;
    }
    return next;
  }

  std::deque<ModelMessage> messages;
  uint64_t next = 1;
  uint64_t evicted_end = 1;
  std::vector<uint64_t> just_evicted;  // for the caller, which clears it
  uint64_t clock = 0;
  Retention retention;

 private:
  template <class Condition>
  uint64_t evict_while(Condition goes) {
    uint64_t evicted = 0;
    for (; !messages.empty() && goes(); ++evicted) {
      evicted_end = messages.front().offset + 1;
      just_evicted.push_back(messages.front().offset);
      messages.pop_front();
    }
    return evicted;
  }
};

}  // namespace millrace::testing
