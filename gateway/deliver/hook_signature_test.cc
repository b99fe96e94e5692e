#include "gateway/deliver/hook_signature.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "gateway/json/json_text.h"

namespace millrace::gateway {
namespace {

// The example in the specification of Standard Webhooks' reference libraries.
TEST(HookSignature, IsThatOfStandardWebhooks) {
  const std::vector<std::string> secrets = {*base64_decoded("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")};
  EXPECT_EQ(hook_signature(secrets, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", R"({"test": 2432232314})"),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

TEST(HookSignature, HasOneForEachSecret) {
  const std::string both = hook_signature({"new", "old"}, "msg_1", "1", "{}");
  EXPECT_EQ(both, hook_signature({"new"}, "msg_1", "1", "{}") + ' ' + hook_signature({"old"}, "msg_1", "1", "{}"));
}

TEST(HookSignature, SecretsAreTheLinesOfAFile) {
  const std::string path = ::testing::TempDir() + "hook_secrets";
  std::ofstream(path) << "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\r\n\nplain words\n";
  const auto secrets = load_hook_secrets(path);
  ASSERT_TRUE(secrets) << secrets.error().text;
  EXPECT_EQ(*secrets, (std::vector<std::string>{*base64_decoded("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), "plain words"}));
  std::ofstream(path) << "whsec_***\n";
  EXPECT_FALSE(load_hook_secrets(path));
  std::ofstream(path) << "\n";
  EXPECT_FALSE(load_hook_secrets(path));
  std::remove(path.c_str());
  EXPECT_FALSE(load_hook_secrets(path));
}

TEST(HookSignature, AnIdIsUniqueToItsParts) {
  EXPECT_EQ(hook_id({"log", "a", "1"}), hook_id({"log", "a", "1"}));
  EXPECT_NE(hook_id({"log", "a", "11"}), hook_id({"log", "a1", "1"}));
  EXPECT_TRUE(hook_id({"log"}).starts_with("msg_"));
}

}  // namespace
}  // namespace millrace::gateway
