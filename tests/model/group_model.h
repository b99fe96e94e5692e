// The simplest model of groups: a struct for every pending message, all searches linear.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/log/group.h"
#include "tests/model/group_view.h"
#include "tests/model/log_model.h"

namespace millrace::testing {

struct ModelDelivery {
  uint64_t offset;
  uint32_t attempts;

  friend bool operator==(const ModelDelivery&, const ModelDelivery&) = default;
};

struct ModelGivenUp {
  uint64_t offset;
  uint32_t attempts;
  bool expired;

  friend auto operator<=>(const ModelGivenUp&, const ModelGivenUp&) = default;
};

struct GroupModel {
  uint64_t next;
  std::map<uint64_t, PendingMessage> pending = {};
  GroupSettings settings = {};
  GroupCounters counters = {};
  bool fresh_is_next = false;

  std::vector<ModelGivenUp> due_to_give_up(uint64_t now) const {
    std::vector<ModelGivenUp> due;
    for (const auto& [offset, message] : pending) {
      const bool expired = message.expire_at <= now;
      const bool exhausted =
          settings.max_attempts != 0 && message.attempts >= settings.max_attempts && message.retry_at <= now;
      if (expired || exhausted) due.push_back({offset, message.attempts, expired});
    }
    return due;
  }
  void give_up(const std::vector<ModelGivenUp>& due) {
    for (const ModelGivenUp& each : due) {
      pending.erase(each.offset);
      ++(each.expired ? counters.expired : counters.exhausted);
    }
  }

  std::vector<ModelDelivery> read(const LogModel& log, uint64_t count, uint64_t now, const std::optional<Retry>& retry,
                                  const std::optional<std::string>& consumer, uint64_t default_pending_max) {
    std::vector<ModelDelivery> delivered;
    std::vector<std::pair<uint64_t, uint64_t>> due;  // deadline, offset
    for (const auto& [offset, message] : pending) {
      if (message.retry_at <= now) due.emplace_back(message.retry_at, offset);
    }
    std::ranges::sort(due);
    const uint64_t most = settings.pending_max != 0 ? settings.pending_max : default_pending_max;
    const uint64_t room = pending.size() >= most ? 0 : retry ? most - pending.size() : UINT64_MAX;
    const auto undelivered = static_cast<uint64_t>(
        std::ranges::count_if(log.messages, [&](const ModelMessage& message) { return message.offset >= next; }));
    const uint64_t fresh = std::min(room, undelivered);
    uint64_t due_left = count == 1 && !fresh_is_next ? 1 : count / 2;
    if (fresh < count) due_left = std::max(due_left, count - fresh);
    for (const auto& [deadline, offset] : due) {
      if (due_left-- == 0) break;
      PendingMessage& message = pending[offset];
      ++message.attempts;
      ++counters.redelivered;
      if (retry) message.retry_ms = retry->retry_ms;
      message.retry_at = now + message.retry_ms;
      message.consumer = consumer;
      delivered.push_back({offset, message.attempts});
      if (!retry) pending.erase(offset);
    }
    uint64_t fresh_left = std::min(fresh, count - delivered.size());
    if (!delivered.empty() || fresh_left != 0) fresh_is_next = fresh_left == 0;
    for (const ModelMessage& message : log.messages) {
      if (message.offset < next) continue;
      if (fresh_left-- == 0) break;
      if (retry) {
        pending[message.offset] = {.offset = message.offset,
                                   .retry_at = now + retry->retry_ms,
                                   .expire_at = retry->expire_ms == 0 ? kNeverExpires : now + retry->expire_ms,
                                   .retry_ms = retry->retry_ms,
                                   .attempts = 1,
                                   .consumer = consumer};
      }
      delivered.push_back({message.offset, 1});
      next = message.offset + 1;
    }
    return delivered;
  }

  // Pending, and held by this consumer if one is named.
  bool names(uint64_t offset, uint64_t from, uint64_t to, const std::optional<std::string>& consumer) const {
    if (offset < from || offset > to) return false;
    const auto found = pending.find(offset);
    return found != pending.end() && (!consumer || found->second.consumer == consumer);
  }
  uint64_t acknowledge(uint64_t from, uint64_t to, const std::optional<std::string>& consumer = {}) {
    return std::erase_if(pending, [&](const auto& each) { return names(each.first, from, to, consumer); });
  }
  uint64_t give_back(uint64_t from, uint64_t to, uint64_t at, GiveBack how,
                     const std::optional<std::string>& consumer = {}) {
    uint64_t count = 0;
    for (auto& [offset, message] : pending) {
      if (!names(offset, from, to, consumer)) continue;
      message.retry_at = at;
      if (how.postpones_expiry) message.expire_at = std::max(message.expire_at, at);
      if (how.is_uncounted && message.attempts > 0) --message.attempts;
      if (how.releases) message.consumer.reset();
      ++count;
    }
    return count;
  }
  // Delivers the messages that a consumer holds to it once more.
  std::vector<uint64_t> repeat(const std::string& consumer, uint64_t from, uint64_t count, uint64_t now,
                               uint32_t retry_ms) {
    std::vector<uint64_t> repeated;
    for (auto& [offset, message] : pending) {
      if (offset < from || message.consumer != consumer || repeated.size() == count) continue;
      message.retry_ms = retry_ms;
      message.retry_at = now + retry_ms;
      repeated.push_back(offset);
    }
    return repeated;
  }

  // This message is evicted.
  void on_evicted(uint64_t offset) { counters.lost += pending.erase(offset) + (offset >= next ? 1 : 0); }
  // This message is removed because there is a newer one of its tag, which the group will get.
  void on_compacted(uint64_t offset) { counters.lost += pending.erase(offset); }
  // Called after either of them.
  void on_first(uint64_t first) { next = std::max(next, first); }
  void seek(uint64_t to) {
    pending.clear();
    next = to;
  }

  bool is_done_with(uint64_t offset) const { return offset < next && !pending.contains(offset); }
  // The time of the next event after `now`.
  std::optional<uint64_t> next_event(uint64_t now) const {
    std::optional<uint64_t> earliest;
    for (const auto& [offset, message] : pending) {
      const uint64_t date = message.retry_at > now ? std::min(message.retry_at, message.expire_at) : message.expire_at;
      if (date != kNeverExpires) earliest = std::min(earliest.value_or(date), date);
    }
    return earliest;
  }
  std::set<std::string> consumers() const {
    std::set<std::string> names;
    for (const auto& [offset, message] : pending) {
      if (message.consumer) names.insert(*message.consumer);
    }
    return names;
  }
  std::vector<PendingMessage> listed() const {
    std::vector<PendingMessage> messages;
    for (const auto& [offset, message] : pending) messages.push_back(message);
    return messages;
  }
};

}  // namespace millrace::testing
