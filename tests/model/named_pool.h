// A pool whose functions take names, as commands do, and that checks its invariants after every call.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/shard/pool.h"

namespace millrace::testing {

class NamedPool {
 public:
  NamedPool() = default;
  explicit NamedPool(const std::vector<std::string>& workers) {
    for (const std::string& name : workers) join(name);
  }

  Pool pool{HashKey{}};

  void tick(uint64_t now) { pool.tick(PoolTime(now)); }
  void join(ByteView name) {
    pool.join(name);
    expect_sound();
  }
  bool has(ByteView name) const { return pool.find_worker(name).has_value(); }
  WorkerId id(ByteView name) const {
    const auto found = pool.find_worker(name);
    EXPECT_TRUE(found) << "nobody is called " << name;
    return found.value_or(WorkerId(0));
  }
  const Worker& worker(ByteView name) const { return pool.worker(id(name)); }
  void touch(ByteView name) { pool.touch(id(name)); }
  uint64_t leave(ByteView name, bool lets_go = false) {
    const uint64_t moved = pool.leave(id(name), lets_go);
    expect_sound();
    return moved;
  }

  // The worker that gets it; a fixed text if there are no workers.
  std::string route(ByteView recipient) { return to_whom(pool.route(recipient)); }
  std::string push(ByteView recipient, std::vector<ByteView> payloads) {
    return to_whom(pool.push(recipient, payloads, {}));
  }
  std::string owner(ByteView recipient) const {
    const auto owner = pool.owner(recipient);
    return owner ? pool.worker(*owner).name : "nobody";
  }
  uint64_t pending(ByteView recipient) const { return pool.recipients()[pool.recipients().find(recipient)].pending(); }

  // The answer: the number, or the code of the failure.
  struct Answer {
    uint64_t number = 0;
    std::optional<ErrorCode> failure;
    friend bool operator==(const Answer&, const Answer&) = default;
    friend std::ostream& operator<<(std::ostream& out, const Answer& answer) {
      return answer.failure ? out << "failure " << static_cast<int>(*answer.failure) : out << answer.number;
    }
  };
  Answer done(WorkerId worker, ByteView recipient, uint64_t count = 1) {
    return answer(pool.done(worker, recipient, count));
  }
  Answer done(ByteView worker, ByteView recipient, uint64_t count = 1) { return done(id(worker), recipient, count); }
  Answer ack(WorkerId worker, ByteView recipient, uint64_t sequence) {
    return answer(pool.acknowledge(worker, recipient, Offset(sequence)));
  }
  Answer ack(ByteView worker, ByteView recipient, uint64_t sequence) { return ack(id(worker), recipient, sequence); }

  // Up to `most` deliveries, each as "recipient sequence payload". Counts as an access of the worker.
  using Pulled = std::vector<std::string>;
  Pulled pull(ByteView worker, size_t most = 1000) {
    Pulled pulled;
    Pool::PulledPayload next;
    touch(worker);
    while (pulled.size() < most && pool.deliver(id(worker), next)) {
      pulled.push_back(std::string(next.recipient) + " " + std::to_string(next.sequence.value()) + " " +
                       std::string(next.payload));
      expect_sound();
    }
    return pulled;
  }

  // Calls settle() until nothing is left to do now; returns the number of calls.
  int settle() {
    for (int times = 1; times < 1000; ++times) {
      const bool more = pool.settle();
      expect_sound();
      if (!more) return times;
    }
    ADD_FAILURE() << "it never settles";
    return 1000;
  }

  std::vector<std::string> recipients(ByteView worker) const { return recipients(id(worker)); }
  std::vector<std::string> recipients(WorkerId worker) const {
    std::vector<std::string> names;
    pool.each_recipient(worker, 0, UINT64_MAX, [&](const Recipient& one) { names.emplace_back(one.name()); });
    return names;
  }

  void expect_sound() const { ASSERT_STREQ(pool.check(), nullptr); }

 private:
  std::string to_whom(const Result<Routed>& routed) const {
    expect_sound();
    if (routed) return pool.worker(routed->worker).name;
    return routed.error().code == ErrorCode::NoWorkers ? "nobody" : routed.error().text;
  }
  Answer answer(const Result<uint64_t>& result) const {
    expect_sound();
    return result ? Answer{*result, {}} : Answer{0, result.error().code};
  }
};

inline NamedPool::Answer number(uint64_t value) { return {value, {}}; }
inline NamedPool::Answer failure(ErrorCode code) { return {0, code}; }

}  // namespace millrace::testing
