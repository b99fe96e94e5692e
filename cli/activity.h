// The activity of a server's logs, channels and pools: figures of each key, and the rate between two looks.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "client/export/key_walk.h"

namespace millrace::cli {

struct Activity {
  std::string key;
  std::string kind;      // log, channel, pool
  double rate = 0;       // messages written per second since the previous look; 0 at the first look
  int64_t lag = 0;       // for a log: of the group that is farthest behind
  int64_t pending = 0;   // messages delivered and not acknowledged, of all groups or in the pool
  int64_t waiting = 0;   // clients that wait for it
  int64_t messages = 0;  // messages that it has
  uint64_t written = 0;  // since it was created, if it counts that
};

class ActivityWatch {
 public:
  // The most keys it looks at: the first ones that are found.
  static constexpr size_t kMostKeys = 500;

  ActivityWatch(const client::ConnectionOptions& server, std::vector<std::string> patterns);

  // The figures of all keys. The list of keys is refreshed from time to time. BadInput: the server refuses a command.
  client::Result<std::vector<Activity>> look();

  // Whether there are more keys than it looks at.
  bool has_more() const { return has_more_; }

 private:
  client::Result<void> find_keys();
  client::Result<client::Reply> ask(std::initializer_list<std::string_view> words);
  client::Result<void> look_at_log(Activity& log);
  client::Result<void> look_at_channel(Activity& channel);
  client::Result<void> look_at_pool(Activity& pool);

  const client::ConnectionOptions options_;
  const std::vector<std::string> patterns_;
  client::KeyConnection server_;
  std::map<std::string, std::string> keys_;  // keys with their kind
  bool has_more_ = false;
  unsigned looks_ = 0;
  std::map<std::string, uint64_t> before_;  // what was written at the last look
  std::chrono::steady_clock::time_point last_;
};

}  // namespace millrace::cli
