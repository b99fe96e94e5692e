// The original design of worker pools (ACA-Py's Redis plugin), with its names, on plain maps and lists instead of
// hashes. It differs in four points. A stale worker is never returned, whether it has pending messages or not. The
// choice moves on to the next living worker. If no worker is alive, nothing is accepted. After the last worker the
// iterator is 0, where the original points past the end. Time is a number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace millrace::testing {

class SeedPool {
 public:
  static constexpr uint64_t kStaleMs = 15'000;

  uint64_t now = 0;
  // {uid} -> list of assigned recipient keys; its order is that of HKEYS.
  std::vector<std::pair<std::string, std::vector<std::string>>> uid_recip_keys_map;
  std::map<std::string, std::string> recip_key_uid_map;
  // {uid}_{recip_key} -> number of pending messages
  std::map<std::string, uint64_t> uid_recip_key_pending_msg_count;
  std::map<std::string, uint64_t> uid_last_access_map;
  std::optional<uint64_t> round_robin_iterator;

  bool has(const std::string& uid) const {
    return std::ranges::any_of(uid_recip_keys_map, [&](const auto& entry) { return entry.first == uid; });
  }
  void join(const std::string& uid) {
    uid_last_access_map.erase(uid);
    if (!has(uid)) uid_recip_keys_map.push_back({uid, {}});
  }
  void heartbeat(const std::string& uid) { uid_last_access_map[uid] = now; }
  // REQUIRES: it is pending, and the recipient is this worker's
  void done(const std::string& uid, const std::string& recip_key) {
    --uid_recip_key_pending_msg_count[uid + "_" + recip_key];
    heartbeat(uid);
  }

  // REQUIRES: any_living()
  std::string process_payload_recip_key(const std::string& recip_key) {
    if (!recip_key_uid_map.contains(recip_key)) assign_recip_key_to_new_uid(recip_key);
    const std::string uid = recip_key_uid_map[recip_key];
    if (is_stale(uid)) {
      for (const std::string& each : std::vector(recip_keys(uid))) reassign_recip_key_to_uid(uid, each);
      if (recip_keys(uid).empty()) {
        std::erase_if(uid_recip_keys_map, [&](const auto& entry) { return entry.first == uid; });
      }
    }
    std::string new_uid = recip_key_uid_map[recip_key];
    ++uid_recip_key_pending_msg_count[new_uid + "_" + recip_key];
    return new_uid;
  }

  std::string get_new_valid_uid() {
    if (!round_robin_iterator) round_robin_iterator = 0;
    const std::vector<std::string> uid_list = hkeys();
    uint64_t iterator = *round_robin_iterator < uid_list.size() ? *round_robin_iterator : 0;
    while (is_stale(uid_list[iterator])) iterator = (iterator + 1) % uid_list.size();
    round_robin_iterator = iterator + 1 < uid_list.size() ? iterator + 1 : 0;
    return uid_list[iterator];
  }

  void assign_recip_key_to_new_uid(const std::string& recip_key) {
    const std::string uid = get_new_valid_uid();
    recip_key_uid_map[recip_key] = uid;
    recip_keys(uid).push_back(recip_key);
    uid_recip_key_pending_msg_count[uid + "_" + recip_key] = 0;
  }

  void reassign_recip_key_to_uid(const std::string& old_uid, const std::string& recip_key) {
    const std::string new_uid = get_new_valid_uid();
    std::erase(recip_keys(old_uid), recip_key);
    const uint64_t old_pending_msg_count = uid_recip_key_pending_msg_count[old_uid + "_" + recip_key];
    uid_recip_key_pending_msg_count.erase(old_uid + "_" + recip_key);
    recip_key_uid_map[recip_key] = new_uid;
    recip_keys(new_uid).push_back(recip_key);
    if (old_pending_msg_count >= 1) uid_recip_key_pending_msg_count[new_uid + "_" + recip_key] = old_pending_msg_count;
  }

  bool any_living() const {
    return std::ranges::any_of(uid_recip_keys_map, [&](const auto& entry) { return !is_stale(entry.first); });
  }

  uint64_t pending(const std::string& recip_key) const {
    const auto found = uid_recip_key_pending_msg_count.find(recip_key_uid_map.at(recip_key) + "_" + recip_key);
    return found == uid_recip_key_pending_msg_count.end() ? 0 : found->second;
  }

 private:
  std::vector<std::string> hkeys() const {
    std::vector<std::string> uids;
    for (const auto& [uid, keys] : uid_recip_keys_map) uids.push_back(uid);
    return uids;
  }
  std::vector<std::string>& recip_keys(const std::string& uid) {
    return std::ranges::find(uid_recip_keys_map, uid, [](const auto& entry) { return entry.first; })->second;
  }
  bool is_stale(const std::string& uid) const {
    const auto last_access = uid_last_access_map.find(uid);
    return last_access != uid_last_access_map.end() && now - last_access->second > kStaleMs;
  }
};

}  // namespace millrace::testing
