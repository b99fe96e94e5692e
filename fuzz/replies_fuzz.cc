// Arbitrary answers of a server: the verdicts do not depend on how the bytes are divided, and a redirection that is
// followed names a node.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "client/cluster_map.h"
#include "client/load/reply_reader.h"
#include "fuzz/require.h"

namespace {

using namespace millrace::client;

std::vector<std::string> verdicts(std::string_view text, size_t step) {
  ReplyReader reader;
  std::vector<std::string> found;
  for (; !text.empty(); text.remove_prefix(std::min(step, text.size()))) {
    reader.feed(text.substr(0, step));
    for (;;) {
      const auto verdict = reader.next();
      if (!verdict) {
        found.emplace_back("refused");
        return found;
      }
      if (!*verdict) break;
      REQUIRE((*verdict)->is_error != (*verdict)->error.empty());
      for (const auto& [item, error] : (*verdict)->within) found.push_back(std::to_string(item) + ' ' + error);
      found.emplace_back((*verdict)->error);
    }
  }
  return found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto whole = verdicts(text, size + 1);
  REQUIRE(verdicts(text, 3) == whole);
  for (const std::string& error : whole) {
    const auto target = redirection_target(error, {});
    REQUIRE(!target || (!target->host.empty() && target->port > 0));
  }
  return 0;
}
