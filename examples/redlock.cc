// A lock over several servers, from C++:
//
//   example_redlock NAME HOST:PORT...
//
// Takes the lock, works in three steps, and gives it back.
#include "client/lock/redlock.h"

#include <cstdio>
#include <string>
#include <vector>

using namespace millrace::client;

namespace {

// The work under the lock. A resource that it writes to should refuse a token smaller than the greatest it has seen.
void work(int step, uint64_t token) {
  std::printf("step %d with token %llu\n", step, static_cast<unsigned long long>(token));
}

int complain(const std::string& text) {
  std::fprintf(stderr, "%s\n", text.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return complain("usage: example_redlock NAME HOST:PORT...");
  std::vector<ConnectionOptions> servers;
  for (int i = 2; i < argc; ++i) {
    const auto endpoint = parse_endpoint(argv[i]);
    if (!endpoint) return complain(endpoint.error().text);
    servers.push_back({.to = *endpoint, .login = {}});
  }

  Redlock lock(servers, argv[1], {.ttl = Milliseconds(10'000)});
  auto held = lock.acquire(Milliseconds(1'000));
  if (!held) return complain(held.error().text);
  if (!*held) return complain("somebody else holds it");

  for (int step = 1; step <= 3; ++step) {
    work(step, (*held)->token.value_or(0));
    // Renewed here between two steps; a step that may take long needs a thread that renews the lock.
    held = lock.renew();
    if (!held || !*held) return complain("the lock is lost: nothing more is done");
  }
  lock.release();
  return 0;
}
