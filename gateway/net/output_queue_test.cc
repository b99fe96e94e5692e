#include "gateway/net/output_queue.h"

#include <gtest/gtest.h>

namespace millrace::gateway {
namespace {

TEST(OutputQueue, GivesBytesInTheirOrderHoweverTheyAreTaken) {
  OutputQueue queue;
  const auto shared = std::make_shared<const std::string>("abcdef");
  queue.add("12");
  queue.add(shared, 1, 3);
  queue.add(shared, 0, 0);
  queue.add("9");
  EXPECT_EQ(queue.size(), 6U);
  std::string got;
  while (!queue.is_empty()) {
    got += queue.front().substr(0, 1);
    queue.remove(1);
  }
  EXPECT_EQ(got, "12bcd9");
}

TEST(OutputQueue, LetsGoOfSharedBytesOnceTheyAreSent) {
  OutputQueue queue;
  const auto shared = std::make_shared<const std::string>("abc");
  queue.add(shared, 0, 3);
  EXPECT_EQ(shared.use_count(), 2);
  queue.remove(3);
  EXPECT_EQ(shared.use_count(), 1);
}

}  // namespace
}  // namespace millrace::gateway
