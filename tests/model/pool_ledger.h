// An independent record of a pool's history: what was sent, what is done, and what each worker has in flight. It asks
// the pool only for the owner of a recipient, and checks whether each step of the pool was allowed.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/shard/pool.h"

namespace millrace::testing {

// Identifies a worker from its joining to its removal. Numbers and names of workers are reused, lives are not.
using Life = uint64_t;

struct LedgerRecipient {
  std::deque<std::string> queue;  // not acknowledged
  uint64_t first = 1;             // the sequence of the first of them
  uint64_t undelivered = 1;       // next sequence to deliver to the current owner
  uint64_t routed = 0;
  Life owner = 0;  // 0: none yet

  uint64_t next() const { return first + queue.size(); }
  uint64_t pending() const { return routed + queue.size(); }
};

class PoolLedger {
 public:
  // The kind of the current step: it decides which recipients may move.
  enum class Step { Other, Message, Rebalance, Leave, LetGo };

  std::map<std::string, LedgerRecipient> recipients;

  // --- messages ---
  void on_routed(const std::string& name) {
    LedgerRecipient& recipient = recipients[name];
    ++recipient.routed;
    sent_ = &recipient;
  }
  void on_pushed(const std::string& name, const std::vector<std::string>& payloads) {
    auto& queue = recipients[name].queue;
    queue.insert(queue.end(), payloads.begin(), payloads.end());
  }

  // --- lives ---
  Life life_of(WorkerId id) const { return lives_.at(id); }
  void on_joined(WorkerId id, bool is_new) {
    if (is_new) lives_[id] = ++last_life_;
    // The worker restarts: what it had in flight is delivered to it again.
    for (auto& [name, recipient] : recipients) {
      if (recipient.owner == lives_[id]) recipient.undelivered = recipient.first;
    }
  }
  // The pool was replaced by an equal one with other numbers; its workers are in the same order.
  void on_replaced(const Pool& before, const Pool& after) {
    std::map<WorkerId, Life> lives;
    const std::vector<WorkerId> old_ids = all_of(before), new_ids = all_of(after);
    ASSERT_EQ(old_ids.size(), new_ids.size());
    for (size_t i = 0; i < old_ids.size(); ++i) lives[new_ids[i]] = lives_.at(old_ids[i]);
    lives_ = std::move(lives);
  }

  // --- before a step ---
  void begin(const Pool& pool, Step step = Step::Other, Life who = 0) {
    step_ = step;
    who_ = who;
    moved_before_ = pool.counters().moved;
    before_.clear();
    for (WorkerId id : all_of(pool)) {
      const Worker& worker = pool.worker(id);
      before_[life_of(id)] = {worker.state, pool.is_stale(worker), worker.busy > 0};
    }
  }

  // --- after it ---
  void compare(const Pool& pool) {
    ASSERT_STREQ(pool.check(), nullptr);
    std::map<Life, uint64_t> pending;
    uint64_t moved = 0;
    for (auto& [name, recipient] : recipients) {
      const RecipientId id = pool.recipients().find(name);
      ASSERT_TRUE(id.is_some()) << name;
      const Life owner = life_of(pool.recipients()[id].owner);
      if (recipient.owner != owner) {
        if (recipient.owner != 0) {
          ++moved;
          SCOPED_TRACE(name);
          expect_may_move(pool, recipient, pool.recipients()[id].owner);
        }
        recipient.owner = owner;
        recipient.undelivered = recipient.first;
      }
      ASSERT_STREQ(difference(pool.recipients()[id], recipient), nullptr) << name;
      pending[owner] += recipient.pending();
    }
    sent_ = nullptr;
    ASSERT_EQ(pool.recipients().size(), recipients.size());
    ASSERT_EQ(pool.counters().moved - moved_before_, moved);
    for (WorkerId id : all_of(pool)) ASSERT_EQ(pool.worker(id).pending, pending[life_of(id)]);
  }

 private:
  struct Before {
    Worker::State state;
    bool is_stale;
    bool is_busy;
  };

  static std::vector<WorkerId> all_of(const Pool& pool) {
    std::vector<WorkerId> ids = pool.working();
    ids.insert(ids.end(), pool.going().begin(), pool.going().end());
    return ids;
  }
  // Whether it had messages in flight before the message of this step was routed to it.
  bool was_in_flight(const LedgerRecipient& recipient) const {
    return recipient.routed > (&recipient == sent_ ? 1U : 0U) || recipient.undelivered != recipient.first;
  }
  static bool is_living(const Pool& pool, const Worker& worker) {
    return worker.state == Worker::State::Working && !pool.is_stale(worker);
  }

  // A living worker does not lose recipients with messages in flight.
  void expect_may_move(const Pool& pool, const LedgerRecipient& recipient, WorkerId to) const {
    const Before& from = before_.at(recipient.owner);
    const bool fails_over = from.is_stale && step_ != Step::Rebalance;
    const bool lets_go = step_ == Step::LetGo && who_ == recipient.owner;
    const bool leaves = from.state == Worker::State::Leaving || (step_ == Step::Leave && who_ == recipient.owner);
    if (from.state != Worker::State::Dead && !fails_over && !lets_go) {
      EXPECT_TRUE(leaves || step_ == Step::Rebalance) << "it was taken from a worker that works";
      EXPECT_FALSE(was_in_flight(recipient)) << "it is in the hands of two";
      if (!leaves) {
        EXPECT_EQ(recipient.pending(), 0u) << "it is not idle";
        EXPECT_FALSE(from.is_stale);
      }
    }
    EXPECT_TRUE(is_living(pool, pool.worker(to))) << "it went to a worker that does not live";
  }

  // What is wrong, or null.
  static const char* difference(const Recipient& recipient, const LedgerRecipient& ledger) {
    if (recipient.routed != ledger.routed) return "routed messages do not add up";
    if (recipient.pending() != ledger.pending()) return "payloads are lost, or there twice";
    if (!recipient.queue) return recipient.next_sequence == Offset(ledger.first) ? nullptr : "sequences are lost";
    if (recipient.queue->undelivered != Offset(ledger.undelivered)) return "another payload is to be delivered next";
    MessageBlocks::Cursor cursor(recipient.queue->messages, recipient.queue->messages.first());
    Message message;
    for (uint64_t i = 0; i < ledger.queue.size(); ++i) {
      if (!cursor.next(message) || message.offset != Offset(ledger.first + i)) return "a payload is lost";
      if (message.entry != ledger.queue[i]) return "a payload is another";
    }
    return nullptr;
  }

  std::map<WorkerId, Life> lives_;
  Life last_life_ = 0;
  Step step_ = Step::Other;
  Life who_ = 0;
  const LedgerRecipient* sent_ = nullptr;
  uint64_t moved_before_ = 0;
  std::map<Life, Before> before_;
};

}  // namespace millrace::testing
