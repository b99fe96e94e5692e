// The simplest model of a channel: all messages in one vector, all subscribers in one map, all searches linear.
// Whenever time moves, expiry looks at everything.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace millrace::testing {

struct ModelPublication {
  uint64_t number;  // publication number, from 1 on
  std::string id;
  std::string content;
  uint64_t date;

  friend bool operator==(const ModelPublication&, const ModelPublication&) = default;
  friend std::ostream& operator<<(std::ostream& out, const ModelPublication& message) {
    return out << message.number << " '" << message.id << "' at " << message.date;
  }
};

struct ModelSubscriber {
  uint64_t acknowledged;  // number of the last acknowledged publication
  uint64_t active;

  friend bool operator==(const ModelSubscriber&, const ModelSubscriber&) = default;
  friend std::ostream& operator<<(std::ostream& out, const ModelSubscriber& subscriber) {
    return out << subscriber.acknowledged << " at " << subscriber.active;
  }
};

enum class ModelAck { Advanced, Already, Invalid };

class ChannelModel {
 public:
  static constexpr int64_t kLargest = 9007199254740991;

  // The clock after this many publications, computed step by step.
  int64_t clock_after(uint64_t steps) const {
    int64_t clock = birth;
    for (; steps > 0; --steps) clock = clock == kLargest ? -kLargest : clock + 1;
    return clock;
  }

  bool tick(uint64_t date) {
    if (date <= now) return false;
    now = date;
    expire_all();
    return true;
  }
  void set_expire(uint64_t ms) {
    expire = ms;
    expire_all();
  }
  bool lives(uint64_t date, uint64_t at) const { return date + expire >= at; }

  // The clock of a new message; nullopt for a duplicate.
  std::optional<int64_t> publish(const std::string& id, const std::string& content) {
    if (find(id, now)) return std::nullopt;
    messages.push_back({++publications, id, content, now});
    active = now;
    return clock_after(publications);
  }
  std::optional<uint64_t> find(const std::string& id, uint64_t at) const {
    for (const ModelPublication& message : messages) {
      if (message.id == id && lives(message.date, at)) return message.number;
    }
    return std::nullopt;
  }

  ModelSubscriber& subscribe(const std::string& name) {
    ModelSubscriber& subscriber = subscribers.try_emplace(name, ModelSubscriber{publications, now}).first->second;
    touch(subscriber);
    return subscriber;
  }
  void touch(ModelSubscriber& subscriber) { active = subscriber.active = now; }

  // Messages that are published and not acknowledged.
  std::vector<ModelPublication> waiting_for(const ModelSubscriber& subscriber) const {
    std::vector<ModelPublication> waiting;
    for (const ModelPublication& message : messages) {
      if (message.number > subscriber.acknowledged) waiting.push_back(message);
    }
    return waiting;
  }

  // Acknowledges up to publication `number`, which may not exist.
  ModelAck acknowledge(ModelSubscriber& subscriber, uint64_t number) const {
    if (number > publications) return ModelAck::Invalid;
    if (number <= subscriber.acknowledged) return ModelAck::Already;
    subscriber.acknowledged = number;
    return ModelAck::Advanced;
  }

  int64_t birth = 0;
  uint64_t publications = 0;
  uint64_t now = 0;
  uint64_t expire = 0;
  uint64_t active = 0;
  std::vector<ModelPublication> messages;
  std::map<std::string, ModelSubscriber> subscribers;

 private:
  void expire_all() {
    std::erase_if(messages, [&](const auto& message) { return !lives(message.date, now); });
    std::erase_if(subscribers, [&](const auto& named) { return !lives(named.second.active, now); });
  }
};

}  // namespace millrace::testing
