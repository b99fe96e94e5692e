// Requests to a pool that own their words, for tests that execute the same request several times: on the deciding
// engine, again when it is woken, and on a replica.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/shard/pool_operations.h"

namespace millrace::testing {

// Payloads as text.
class PayloadText final : public PayloadSink {
 public:
  void begin() override { text += "["; }
  void payload(const Pool::PulledPayload& pulled) override {
    text += " " + std::string(pulled.recipient) + " " + std::to_string(pulled.sequence.value()) + " " +
            std::string(pulled.payload);
    if (pulled.attempts > 1) text += " again, " + std::to_string(pulled.attempts);
  }
  void end(uint64_t payloads) override { text += " ] " + std::to_string(payloads); }

  std::string text;
};

struct PoolWords {
  enum class Kind { Join, Heartbeat, Leave, Pull, Acknowledge, Done, Route, Push, Set, Rebalance, Nack, Forget };

  Kind kind = Kind::Join;
  std::string worker = {};
  std::string recipient = {};
  std::vector<std::string> payloads = {};
  uint64_t number = 1;  // count, sequence, time or moves, depending on the kind
  bool lets_go = false;
  AssignmentPolicy policy = AssignmentPolicy::RoundRobin;
  bool blocks = false;
  std::string id = {};        // of a push; empty: none
  uint64_t max_attempts = 0;  // for Set, like the next three
  std::string dead_log = {};
  uint64_t forget_ms = 0;
  uint64_t recipient_max = 0;
  uint64_t delay_ms = 0;  // for Nack, like the reason
  std::string reason = {};
};

class PoolRequest {
 public:
  using Kind = PoolWords::Kind;

  explicit PoolRequest(PoolWords from) : words(std::move(from)) {}
  // The request has pointers to its own words.
  PoolRequest(const PoolRequest&) = delete;
  PoolRequest& operator=(const PoolRequest&) = delete;

  const PoolWords words;

  // The answer as text; empty if the request waits.
  std::pair<std::string, Consequences> execute(PoolOperations& pools, Place<Pool>& place, const Call& call) {
    const auto& [kind, worker, recipient, payloads, number, lets_go, policy, blocks, id, max_attempts, dead_log,
                 forget_ms, recipient_max, delay_ms, reason] = words;
    switch (kind) {
      case Kind::Join:
        return in_text(pools.join(place, worker, call));
      case Kind::Heartbeat:
        return in_text(pools.heartbeat(place, worker, call));
      case Kind::Leave:
        return in_text(pools.leave(place, {worker, lets_go}, call));
      case Kind::Acknowledge:
        return in_text(pools.acknowledge(place, {worker, recipient, Offset(number)}, call));
      case Kind::Done:
        return in_text(pools.done(place, {worker, recipient, number}, call));
      case Kind::Set:
        return in_text(pools.set(place,
                                 {.stale_ms = number,
                                  .policy = policy,
                                  .max_attempts = max_attempts,
                                  .dead_log = dead_log,
                                  .forget_ms = forget_ms,
                                  .recipient_max = recipient_max},
                                 call));
      case Kind::Nack: {
        PoolNackRequest request{worker, recipient, Offset(number), delay_ms};
        if (!reason.empty()) request.dead = reason;
        return in_text(pools.give_back(place, request, call));
      }
      case Kind::Forget: {
        const ByteView names[] = {recipient, worker};
        return in_text(pools.forget(place, names, call));
      }
      case Kind::Rebalance:
        return in_text(pools.rebalance(place, number, call));
      case Kind::Pull: {
        PayloadText given;
        auto outcome = pools.pull(place, start(pull_, PullRequest{worker, number, block_ms(blocks)}), call, given);
        if (outcome.answer && !outcome.consequences.wait) return {given.text, std::move(outcome.consequences)};
        return in_text(std::move(outcome));
      }
      case Kind::Route:
      case Kind::Push: {
        // As in a parser: the list exists only during the call.
        const std::vector<ByteView> views(payloads.begin(), payloads.end());
        RouteRequest& request = start(route_, RouteRequest{recipient, views, block_ms(blocks)});
        if (!id.empty()) request.id = id;
        return in_text(kind == Kind::Push ? pools.push(place, request, call) : pools.route(place, request, call));
      }
    }
    return {};
  }

 private:
  static std::optional<uint64_t> block_ms(bool blocks) { return blocks ? std::optional<uint64_t>(0) : std::nullopt; }
  template <class Request>
  static Request& start(std::optional<Request>& request, Request first) {
    if (!request) request = std::move(first);
    return *request;
  }

  template <class Answer>
  static std::pair<std::string, Consequences> in_text(Outcome<Answer>&& outcome) {
    std::string text;
    if (!outcome.consequences.wait) text = outcome.answer ? text_of(*outcome.answer) : outcome.answer.error().text;
    return {std::move(text), std::move(outcome.consequences)};
  }
  static std::string text_of(uint64_t number) { return std::to_string(number); }
  static std::string text_of(millrace::Done) { return "OK"; }
  static std::string text_of(const Sent& sent) { return std::string(sent.worker) + " " + std::to_string(sent.pending); }

  std::optional<PullRequest> pull_;
  std::optional<RouteRequest> route_;
};

}  // namespace millrace::testing
