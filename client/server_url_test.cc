#include "client/server_url.h"

#include <gtest/gtest.h>

namespace millrace::client {
namespace {

TEST(ServerUrl, IsTakenApart) {
  const struct {
    const char* name;
    const char* url;
    const char* server;
    const char* user;
    const char* password;
    unsigned database;
    bool has_tls;
  } rows[] = {
      {"host and port as ever", "db1:7000", "db1:7000", "", "", 0, false},
      {"redis", "redis://db1:7000", "db1:7000", "", "", 0, false},
      {"the usual port", "redis://db1", "db1:6379", "", "", 0, false},
      {"the usual host", "redis:///3", "127.0.0.1:6379", "", "", 3, false},
      {"valkey", "valkey://db1/0", "db1:6379", "", "", 0, false},
      {"TLS", "rediss://db1:7000/5", "db1:7000", "", "", 5, true},
      {"TLS of valkey", "valkeys://db1", "db1:6379", "", "", 0, true},
      {"user and password", "redis://ann:secret@db1", "db1:6379", "ann", "secret", 0, false},
      {"a user alone", "redis://ann@db1", "db1:6379", "ann", "", 0, false},
      {"a password alone", "redis://:secret@db1", "db1:6379", "", "secret", 0, false},
      {"escapes", "redis://a%40b:%2f%3a%25@db1", "db1:6379", "a@b", "/:%", 0, false},
      {"@ and : in a password", "redis://ann:a@b:c@db1", "db1:6379", "ann", "a@b:c", 0, false},
      {"IPv6", "redis://[::1]:7000/1", "[::1]:7000", "", "", 1, false},
      {"the database as a parameter", "redis://db1?db=4", "db1:6379", "", "", 4, false},
      {"a path", "/run/redis.sock", "/run/redis.sock", "", "", 0, false},
      {"a socket", "unix:///run/redis.sock", "/run/redis.sock", "", "", 0, false},
      {"a socket of redis", "redis+socket:///run/r%20s?db=2", "/run/r s", "", "", 2, false},
      {"a socket with a user", "unix://ann:secret@/run/x", "/run/x", "ann", "secret", 0, false},
      {"sentinels", "redis+sentinel://a:1,b/orders/2", "redis+sentinel://a:1,b:26379/orders", "", "", 2, false},
      {"sentinels with TLS", "valkeys+sentinel://a/orders", "rediss+sentinel://a:26379/orders", "", "", 0, true},
      {"sentinels with a user", "redis+sentinel://ann:secret@a,[::1]:7/orders",
       "redis+sentinel://a:26379,[::1]:7/orders", "ann", "secret", 0, false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const auto server = parse_server_url(row.url);
    ASSERT_TRUE(server) << server.error().text;
    EXPECT_EQ(name_of_server(*server), row.server);
    EXPECT_EQ(server->login.user, row.user);
    EXPECT_EQ(server->login.password, row.password);
    EXPECT_EQ(server->login.database, row.database);
    EXPECT_EQ(server->tls.is_on, row.has_tls);
  }
}

TEST(ServerUrl, TheParametersOfTlsAndSentinelsAreTaken) {
  const auto server = parse_server_url("rediss://h?cacert=/a%26b&cacertdir=/d&cert=c&key=k&sni=n&insecure=yes");
  ASSERT_TRUE(server);
  const TlsOptions tls{true, "/a&b", "/d", "c", "k", "n", false};
  EXPECT_EQ(server->tls, tls);
  const auto watched = parse_server_url("redis+sentinel://h/s?sentinel_user=u&sentinel_password=p");
  ASSERT_TRUE(watched);
  EXPECT_EQ(watched->sentinels->login.user, "u");
  EXPECT_EQ(watched->sentinels->login.password, "p");
  EXPECT_EQ(watched->login.user, "");
}

TEST(ServerUrl, AWrongWordIsNamedAndAPasswordNever) {
  const struct {
    const char* name;
    const char* url;
    const char* reason;
  } rows[] = {
      {"a scheme", "http://h",
       "'http://' is not known; there are redis, rediss, valkey, valkeys, unix, redis+socket, redis+sentinel and "
       "rediss+sentinel"},
      {"a port", "redis://u:secret@h:x", "a port is a number from 1 to 65535, not 'x'"},
      {"a database", "redis://u:secret@h/one", "behind the host comes /database, a number, not '/one'"},
      {"a database as a parameter", "redis://h?db=one", "a database is a number, not 'one'"},
      {"a parameter", "redis://h?timeout=1",
       "'timeout' is no parameter of an address; there are db, cacert, cacertdir, cert, key, sni, insecure, and with "
       "sentinels sentinel_user and sentinel_password"},
      {"TLS without TLS", "redis://h?cacert=x", "cacert in an address needs TLS: rediss:// or valkeys://"},
      {"neither yes nor no", "rediss://h?insecure=1", "insecure in an address is yes or no, not '1'"},
      {"half an escape", "redis://u:secret%2@h",
       "in the password of the address, % must be followed by two hex digits"},
      {"a slash in a password", "redis://u:sec/ret@h", "/ and ? in a user or a password are written %2F and %3F"},
      {"a path that is none", "unix://run/x",
       "the path of a Unix socket begins with /, as in unix:///run/redis.sock, not 'run/x'"},
      {"no path", "unix://", "the path of a Unix socket begins with /, as in unix:///run/redis.sock, not ''"},
      {"no service", "redis+sentinel://h",
       "after the sentinels, /service is missing: the name under which they watch the master"},
      {"no sentinel", "redis+sentinel:///orders", "an address is host:port, not an empty word"},
      {"several hosts", "redis://a,b", "only sentinels may be several hosts: redis+sentinel://a:26379,b:26379/service"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const auto server = parse_server_url(row.url);
    ASSERT_FALSE(server);
    EXPECT_EQ(server.error().code, ErrorCode::BadInput);
    EXPECT_EQ(server.error().text, row.reason);
  }
}

}  // namespace
}  // namespace millrace::client
