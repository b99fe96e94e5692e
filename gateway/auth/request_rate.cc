#include "gateway/auth/request_rate.h"

#include <algorithm>

namespace millrace::gateway {
namespace {

// Above this number, clients whose limit is fully available again are dropped.
constexpr size_t kMostBuckets = 100'000;

}  // namespace

bool RequestRate::takes_request(const std::string& client, std::chrono::steady_clock::time_point now) {
  if (rate_ == 0) return true;
  const auto rate = static_cast<double>(rate_);
  const auto refilled = [&](const Bucket& bucket) {
    const double seconds = std::chrono::duration<double>(now - bucket.filled).count();
    return std::min(rate, bucket.tokens + seconds * rate);
  };
  const std::lock_guard lock(mutex_);
  if (buckets_.size() > kMostBuckets) {
    std::erase_if(buckets_, [&](const auto& one) { return refilled(one.second) >= rate; });
  }
  auto& bucket = buckets_.try_emplace(client, Bucket{rate, now}).first->second;
  bucket.tokens = refilled(bucket);
  bucket.filled = now;
  if (bucket.tokens < 1) return false;
  bucket.tokens -= 1;
  return true;
}

bool RequestRate::takes_connection(const std::string& address) {
  if (most_ == 0) return true;
  const std::lock_guard lock(mutex_);
  size_t& count = connections_[address];
  if (count >= most_) return false;
  ++count;
  return true;
}

void RequestRate::leave(const std::string& address) {
  if (most_ == 0) return;
  const std::lock_guard lock(mutex_);
  const auto found = connections_.find(address);
  if (found != connections_.end() && --found->second == 0) connections_.erase(found);
}

}  // namespace millrace::gateway
