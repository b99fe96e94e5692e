#include "gateway/deliver/hook_url.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

namespace millrace::gateway {
namespace {

TEST(HookUrl, IsTakenApart) {
  const auto url = parse_hook_url("https://shop.example/hooks?a=b");
  ASSERT_TRUE(url) << url.error();
  EXPECT_EQ(*url, (HookUrl{.is_tls = true, .host = "shop.example", .port = 443, .target = "/hooks?a=b"}));
  EXPECT_EQ(url->host_header(), "shop.example");
  const auto other = parse_hook_url("HTTP://[2606:4700::1111]:8080");
  ASSERT_TRUE(other) << other.error();
  EXPECT_EQ(other->host_header(), "[2606:4700::1111]:8080");
  EXPECT_EQ(other->target, "/");
  EXPECT_EQ(parse_hook_url("http://a.example?x")->target, "/?x");
}

TEST(HookUrl, IsRefusedIfItIsNotPlainlyOne) {
  for (const char* text : {"",
                           "shop.example",
                           "ftp://a.example/",
                           "http:/a.example",
                           "http://",
                           "http:///x",
                           "http://user@a.example/",
                           "http://user:word@a.example/",
                           "http://a.example:0/",
                           "http://a.example:65536/",
                           "http://a.example:/",
                           "http://a.example:8a/",
                           "http://a.example/ x",
                           "http://a.example/\r\nHost: b",
                           "http://a.example/#x",
                           "http://a.example\\@b.example/",
                           "http://[::1",
                           "http://[zz]/",
                           "http://a.ex%61mple/",
                           "http://\xc3\xa4.example/"}) {
    EXPECT_FALSE(parse_hook_url(text)) << text;
  }
  EXPECT_FALSE(parse_hook_url("http://a.example/" + std::string(9000, 'a')));
}

bool is_public_text(const char* text) {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  if (inet_pton(AF_INET, text, &v4.sin_addr) == 1) return is_public(reinterpret_cast<sockaddr&>(v4));
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  EXPECT_EQ(inet_pton(AF_INET6, text, &v6.sin6_addr), 1) << text;
  return is_public(reinterpret_cast<sockaddr&>(v6));
}

TEST(HookUrl, KnowsWhichAddressesAreNotPublic) {
  for (const char* text : {"0.0.0.0",
                           "10.1.2.3",
                           "100.64.0.1",
                           "127.0.0.1",
                           "127.255.255.255",
                           "169.254.169.254",
                           "172.16.0.1",
                           "172.31.255.255",
                           "192.0.0.8",
                           "192.0.2.1",
                           "192.168.1.1",
                           "198.18.0.1",
                           "198.19.255.255",
                           "198.51.100.1",
                           "203.0.113.1",
                           "224.0.0.1",
                           "240.0.0.1",
                           "255.255.255.255",
                           "::",
                           "::1",
                           "::ffff:127.0.0.1",
                           "::ffff:8.8.8.8",
                           "::127.0.0.1",
                           "64:ff9b::a00:1",
                           "64:ff9b:1::8.8.8.8",
                           "100::1",
                           "2001::1",
                           "2001:db8::1",
                           "2002:7f00:1::",
                           "2002:a00:1::1",
                           "3fff::1",
                           "fc00::1",
                           "fd12::1",
                           "fe80::1",
                           "fec0::1",
                           "ff02::1"}) {
    EXPECT_FALSE(is_public_text(text)) << text;
  }
  for (const char* text : {"8.8.8.8", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1", "192.0.1.1",
                           "198.17.0.1", "223.255.255.255", "2606:4700::1111", "2a00:1450::1", "64:ff9b::808:808",
                           "2002:808:808::1", "2001:4860:4860::8888"}) {
    EXPECT_TRUE(is_public_text(text)) << text;
  }
}

TEST(HookUrl, NamesAPrivateAddressOnlyIfItIsOne) {
  EXPECT_TRUE(names_private_address(*parse_hook_url("http://169.254.169.254/latest")));
  EXPECT_TRUE(names_private_address(*parse_hook_url("http://[::1]/")));
  EXPECT_FALSE(names_private_address(*parse_hook_url("http://8.8.8.8/")));
  EXPECT_FALSE(names_private_address(*parse_hook_url("http://localhost/")));
}

}  // namespace
}  // namespace millrace::gateway
