#include "engine/route/route_digest.h"

#include "engine/base/keyed_hash.h"
#include "engine/route/route_codec.h"

namespace millrace {

namespace {

// Do not change: servers of different versions compare digests.
constexpr HashKey kFirst = {1};
constexpr HashKey kSecond = {2};

}  // namespace

// Facts come in any order, to avoid sorting: each is hashed separately, and the hashes are added.
void digest(const RouteTable& table, DigestSink& sink) {
  uint64_t count = 0;
  uint64_t first = 0;
  uint64_t second = 0;
  each_fact(table, [&](ByteView fact) {
    ++count;
    first += keyed_hash(kFirst, fact);
    second += keyed_hash(kSecond, fact);
  });
  for (uint64_t number : {table.clock().value(), count, first, second}) sink.number(number);
}

}  // namespace millrace
