// Walks over the keys of a server, or of all nodes of a cluster, page by page: its memory does not depend on the number
// of keys.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "client/key_connection.h"

namespace millrace::client {

struct FoundKey {
  std::string name;
  std::string type;  // the answer of TYPE; "none": there is no such key
};

class KeyWalk {
 public:
  // `server` is the server, or any node of a cluster. The walk opens its own connections.
  explicit KeyWalk(const ConnectionOptions& server) : options_(server) {}

  // Called for each key. An error ends the walk.
  using Visit = std::function<Result<void>(const FoundKey& key)>;

  // Each key that matches one of the patterns. A word without * ? [ is a key's name: it is visited even if it does not
  // exist. As with SCAN, a key may be visited twice if the server resizes its table meanwhile.
  Result<void> each(const std::vector<std::string>& patterns, const Visit& visit);

  static bool is_pattern(std::string_view word) { return word.find_first_of("*?[") != word.npos; }

 private:
  Result<void> scan(Connection& node, const std::string& pattern, const Visit& visit);
  Result<std::vector<Endpoint>> nodes();

  ConnectionOptions options_;
};

}  // namespace millrace::client
