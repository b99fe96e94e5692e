#include "gateway/deliver/hook_response.h"

#include <gtest/gtest.h>

namespace millrace::gateway {
namespace {

using State = HookResponseReader::State;

struct Row {
  const char* name;
  std::string bytes;
  State state;
  int status;
  bool keeps_alive;
};

const Row kRows[] = {
    {"a short one", "HTTP/1.1 204 No Content\r\n\r\n", State::Complete, 204, true},
    {"a body", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", State::Complete, 200, true},
    {"chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", State::Complete, 200, true},
    {"more than was asked for", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200", State::Complete, 200,
     false},
    {"a connection that ends", "HTTP/1.1 500 No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", State::Complete,
     500, false},
    {"one behind another", "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n",
     State::Complete, 410, true},
    {"a body without end", "HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n" + std::string(70'000, 'x'),
     State::Complete, 200, false},
    {"half a head", "HTTP/1.1 200 OK\r\nContent-", State::Reading, 0, false},
    {"no HTTP", "SSH-2.0-OpenSSH\r\n\r\n", State::Malformed, 0, false},
    {"another protocol", "HTTP/1.1 101 Switching\r\n\r\n", State::Malformed, 0, false},
    {"headers without end", "HTTP/1.1 200 OK\r\nA: " + std::string(40'000, 'x'), State::Malformed, 0, false},
};

TEST(HookResponse, IsReadHoweverItsBytesCome) {
  for (const Row& row : kRows) {
    for (const size_t step : {size_t{1}, size_t{7}, row.bytes.size()}) {
      if (step == 1 && row.bytes.size() > 50'000) continue;
      HookResponseReader reader;
      for (size_t at = 0; at < row.bytes.size() && reader.state() == State::Reading; at += step) {
        reader.put(std::string_view(row.bytes).substr(at, step));
      }
      EXPECT_EQ(reader.state(), row.state) << row.name << " by " << step;
      EXPECT_EQ(reader.status(), row.status) << row.name << " by " << step;
      // Bytes behind the answer are noticed only if they arrive together with it.
      if (step == row.bytes.size()) {
        EXPECT_EQ(reader.keeps_alive(), row.keeps_alive) << row.name;
      }
    }
  }
}

TEST(HookResponse, WhoseChunksDoNotEndIsCompleteByItsStatus) {
  for (const char* begin : {"5;", "0\r\na: "}) {
    HookResponseReader reader;
    reader.put(std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n") + begin);
    for (int i = 0; i < 100 && reader.state() == State::Reading; ++i) reader.put(std::string(1024, 'x'));
    EXPECT_EQ(reader.state(), State::Complete) << begin;
    EXPECT_EQ(reader.status(), 200);
    EXPECT_FALSE(reader.keeps_alive());
  }
}

TEST(HookResponse, MayEndWithItsConnection) {
  HookResponseReader reader;
  reader.put("HTTP/1.1 200 OK\r\n\r\nall the rest");
  EXPECT_EQ(reader.state(), State::Reading);
  reader.put_end();
  EXPECT_EQ(reader.state(), State::Complete);
  EXPECT_FALSE(reader.keeps_alive());
  HookResponseReader empty;
  empty.put_end();
  EXPECT_EQ(empty.state(), State::Malformed);
  EXPECT_FALSE(empty.has_begun());
}

TEST(HookResponse, ReportsRetryAfter) {
  HookResponseReader reader;
  reader.put("HTTP/1.1 429 Slowly\r\nretry-after: 17\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(reader.retry_after(), "17");
}

}  // namespace
}  // namespace millrace::gateway
