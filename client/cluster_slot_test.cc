#include "client/cluster_slot.h"

#include <gtest/gtest.h>

#include "client/cluster_map.h"

namespace millrace::client {
namespace {

// The values are what CLUSTER KEYSLOT answers.
TEST(ClusterSlot, IsTheOneTheServerSays) {
  EXPECT_EQ(cluster_slot("123456789"), 0x31c3 % kClusterSlots);
  EXPECT_EQ(cluster_slot("foo"), 12182);
  EXPECT_EQ(cluster_slot(""), 0);
}

TEST(ClusterSlot, TheFirstBracesDecideUnlessTheyAreEmpty) {
  EXPECT_EQ(cluster_slot("{user1000}.following"), cluster_slot("user1000"));
  EXPECT_EQ(cluster_slot("a{b}{c}"), cluster_slot("b"));
  EXPECT_EQ(cluster_slot("{{bar}}"), cluster_slot("{bar"));
  EXPECT_NE(cluster_slot("foo{}{bar}"), cluster_slot("bar"));
  EXPECT_NE(cluster_slot("foo{bar"), cluster_slot("bar"));
}

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
