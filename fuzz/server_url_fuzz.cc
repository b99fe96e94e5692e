// Addresses of servers: a refused one has a reason, and the text of an accepted one means the same server again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "client/server_url.h"
#include "fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace millrace::client;
  const auto server = parse_server_url({reinterpret_cast<const char*>(bytes), size});
  if (!server) {
    REQUIRE(server.error().code == ErrorCode::BadInput);
    REQUIRE(!server.error().text.empty());
    return 0;
  }
  if (server->sentinels) {
    REQUIRE(!server->sentinels->sentinels.empty());
    REQUIRE(!server->sentinels->service.empty());
    return 0;
  }
  REQUIRE(!server->to.host.empty());
  REQUIRE(server->to.port != 0);
  const auto again = parse_server_url(name_of_server(*server));
  REQUIRE(again && again->to == server->to);
  return 0;
}
