// How many requests and connections one client may make; shared by all loops.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <unordered_map>

namespace millrace::gateway {

class RequestRate {
 public:
  // Limits on requests per second, which may also come in one burst, and on simultaneous connections; 0: no limit.
  RequestRate(size_t requests_per_second, size_t connections) : rate_(requests_per_second), most_(connections) {}

  // Whether this client may make another request now. From any thread.
  bool takes_request(const std::string& client, std::chrono::steady_clock::time_point now);
  // Whether this address may open another connection. If so, call leave() when that connection ends.
  bool takes_connection(const std::string& address);
  void leave(const std::string& address);

 private:
  struct Bucket {
    double tokens;
    std::chrono::steady_clock::time_point filled;
  };

  const size_t rate_;
  const size_t most_;
  std::mutex mutex_;
  std::unordered_map<std::string, Bucket> buckets_;
  std::unordered_map<std::string, size_t> connections_;
};

}  // namespace millrace::gateway
