#include "client/cluster_map.h"

#include <gtest/gtest.h>

namespace millrace::client {
namespace {

TEST(Redirection, NamesANode) {
  const Endpoint from{"10.0.0.1", 7000};
  EXPECT_EQ(*redirection_target("MOVED 3999 127.0.0.1:6381", from), (Endpoint{"127.0.0.1", 6381}));
  EXPECT_EQ(*redirection_target("ASK 3999 [::1]:6381", from), (Endpoint{"::1", 6381}));
  EXPECT_EQ(*redirection_target("MOVED 3999 :6381", from), (Endpoint{"10.0.0.1", 6381}));
  EXPECT_FALSE(redirection_target("MOVED", from));
  EXPECT_FALSE(redirection_target("MOVED 1 x:y", from));
}

}  // namespace
}  // namespace millrace::client
