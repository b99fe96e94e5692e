// The data of the overview: one hour of samples, and the result of the last sweep over all keys. One loop of the
// gateway writes it (monitor.h), all loops read it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace millrace::gateway {

inline constexpr int64_t kSampleStepMs = 5000;
inline constexpr size_t kMostSamples = 720;  // an hour
inline constexpr std::array<const char*, 8> kKeyTypes = {"log",   "channel", "pool", "lock",
                                                         "route", "index",   "fact", "suggest"};

struct Sample {
  int64_t time = 0;                // Unix milliseconds
  std::optional<int64_t> in = {};  // messages a second, like the next two
  std::optional<int64_t> out = {};
  std::optional<int64_t> acked = {};
  std::optional<int64_t> lag = {};
  std::optional<int64_t> pending = {};
  std::optional<int64_t> dead = {};
  int64_t waiters = 0;
  int64_t memory = 0;
  int64_t connections = 0;
};

// A problem that needs the attention of a person.
struct Need {
  bool must_act = false;  // true: must act; false: should look
  std::string kind;
  std::string type;
  std::string key;
  std::string name;
  std::string text;
  std::optional<int64_t> since = {};
};

// A key with its figures from MILLRACE.KEYS, as JSON for the list of keys.
struct RankedKey {
  int64_t rank = 0;
  std::string type = {};
  std::string key = {};
  std::string json = {};
};

// The result of a sweep over all keys.
struct SweepTotals {
  int64_t keys = 0;
  int64_t lag = 0;
  int64_t pending = 0;
  int64_t dead = 0;
  int64_t scheduled = 0;
};

struct SweepResult {
  SweepTotals totals;
  std::vector<Need> needs;
  std::vector<RankedKey> largest;  // the greatest first
  std::vector<RankedKey> behind;
  // Logs of dead letters, with the groups that write to them: key, group.
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> dead_letters;
  int64_t ended = 0;  // time by the steady clock in ms; 0: this is what the first sweep has found so far
};

struct Board {
  std::mutex mutex;  // guards everything except `asked`
  std::deque<Sample> samples;
  int64_t memory_limit = 0;
  int64_t uptime = 0;
  std::vector<Need> server_needs;
  SweepResult sweep;
  int64_t swept = 0;                      // keys that the current sweep has looked at so far
  std::map<std::string, int64_t> counts;  // keys of which the server knows the names, by type
  int64_t names_done = 0;                 // how many of names_of keys were read
  int64_t names_of = 0;
  // When a console asked last, by the steady clock in ms.
  std::atomic<int64_t> asked = -1'000'000'000;
};

int64_t steady_ms();
int64_t unix_ms();

// How many keys of this type the server knows; of all types, if it is empty. REQUIRES: the mutex is held.
int64_t count_of(const Board& board, const std::string& type);
// {"done","of"} while the server still collects the names of its keys; else null.
std::string building_json(int64_t done, int64_t of);

// Whether keep_greatest() would keep a key of this rank.
bool is_among_greatest(const std::vector<RankedKey>& keys, int64_t rank, size_t most);
// Keeps the `most` with the greatest ranks, in that order.
void keep_greatest(std::vector<RankedKey>& keys, RankedKey key, size_t most);

}  // namespace millrace::gateway
