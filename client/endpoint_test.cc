#include "client/endpoint.h"

#include <gtest/gtest.h>

namespace millrace::client {
namespace {

TEST(Endpoint, AnAddressIsTakenApart) {
  const struct {
    const char* name;
    const char* text;
    const char* host;
    uint16_t port;
  } rows[] = {
      {"host and port", "example.org:7000", "example.org", 7000},
      {"a host alone has the usual port", "example.org", "example.org", 6379},
      {"a port alone is on this machine", ":7000", "127.0.0.1", 7000},
      {"the largest port", "h:65535", "h", 65535},
      {"IPv6 in brackets", "[::1]:7000", "::1", 7000},
      {"IPv6 in brackets without a port", "[::1]", "::1", 6379},
      {"IPv6 as it is", "fe80::1", "fe80::1", 6379},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const auto endpoint = parse_endpoint(row.text);
    ASSERT_TRUE(endpoint);
    EXPECT_EQ(endpoint->host, row.host);
    EXPECT_EQ(endpoint->port, row.port);
    EXPECT_EQ(parse_endpoint(endpoint->text()), *endpoint) << "its text means the same";
  }
}

TEST(Endpoint, WhatIsNoAddressIsRefusedWithAReason) {
  const struct {
    const char* name;
    const char* text;
    const char* reason;
  } rows[] = {
      {"nothing", "", "an address is host:port, not an empty word"},
      {"port 0", "h:0", "a port is a number from 1 to 65535, not '0'"},
      {"a port too large", "h:65536", "a port is a number from 1 to 65535, not '65536'"},
      {"a negative port", "h:-1", "a port is a number from 1 to 65535, not '-1'"},
      {"a port with a tail", "h:70x", "a port is a number from 1 to 65535, not '70x'"},
      {"no port behind the colon", "h:", "a port is a number from 1 to 65535, not ''"},
      {"brackets that do not close", "[::1", "an address in brackets is [host]:port, not '[::1'"},
      {"nothing in brackets", "[]:1", "an address in brackets is [host]:port, not '[]:1'"},
      {"a user without a scheme", "ann:secret@db1",
       "a host has no '@' in it; an address is host:port, or a URL such as redis://user@host:port"},
      {"a scheme with one slash", "redis:/db1",
       "a host has no '/' in it; an address is host:port, or a URL such as redis://user@host:port"},
      {"something else behind brackets", "[::1]7000", "after the brackets comes :port, not '7000'"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const auto endpoint = parse_endpoint(row.text);
    ASSERT_FALSE(endpoint);
    EXPECT_EQ(endpoint.error().code, ErrorCode::BadInput);
    EXPECT_EQ(endpoint.error().text, row.reason);
  }
}

}  // namespace
}  // namespace millrace::client
