// URLs of webhooks, which may come with a message: an accepted URL means the same when it is written and parsed again,
// and nothing in it can begin another line of a request.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/require.h"
#include "gateway/deliver/hook_url.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace millrace::gateway;
  const auto url = parse_hook_url({reinterpret_cast<const char*>(bytes), size});
  if (!url) {
    REQUIRE(!url.error().empty());
    return 0;
  }
  for (const std::string& part : {url->host_header(), url->target}) {
    REQUIRE(!part.empty());
    for (const char c : part) REQUIRE(c > ' ' && c <= '~');
  }
  REQUIRE(url->port != 0);
  REQUIRE(url->target.front() == '/');
  const auto again = parse_hook_url((url->is_tls ? "https://" : "http://") + url->host_header() + url->target);
  REQUIRE(again && *again == *url);
  static_cast<void>(names_private_address(*url));
  return 0;
}
