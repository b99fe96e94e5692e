// Reads everything that a log has of a day, or of any period, as fast as possible:
//
//   example_replay HOST:PORT KEY [FROM-UNIX-MS [TO-UNIX-MS]]
//
// Messages come in frames, packed as the server holds them, and are unpacked by several threads. Prints the number of
// messages.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>

#include "client/log/log_reader.h"

using namespace millrace::client;
using millrace::Message;
using millrace::Offset;

namespace {

int complain(const std::string& text) {
  std::fprintf(stderr, "%s\n", text.c_str());
  return 1;
}

// What is done with each message; here, its bytes are counted.
struct Sum {
  uint64_t messages = 0;
  uint64_t bytes = 0;
  void add(const Message& message) {
    ++messages;
    bytes += message.tag.size() + message.entry.size();
  }
};

// The first offset written at or after that time.
Result<Offset> seek(Connection& connection, const char* key, const char* unix_ms) {
  const auto reply = connection.call({"TSEEK", key, unix_ms});
  if (!reply) return std::unexpected(reply.error());
  if (reply->is_error()) return fail(ErrorCode::BadInput, reply->text);
  return Offset(static_cast<uint64_t>(reply->integer));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 5) return complain("usage: example_replay HOST:PORT KEY [FROM-UNIX-MS [TO-UNIX-MS]]");
  const auto endpoint = parse_endpoint(argv[1]);
  if (!endpoint) return complain(endpoint.error().text);
  Connection connection({.to = *endpoint, .login = {}});
  const auto from = seek(connection, argv[2], argc > 3 ? argv[3] : "0");
  if (!from) return complain(from.error().text);
  std::optional<Offset> end;
  if (argc > 4) {
    const auto found = seek(connection, argv[2], argv[4]);
    if (!found) return complain(found.error().text);
    end = *found;
  }

  const auto start = std::chrono::steady_clock::now();
  Sum sum;
  // More than three threads do not help, because some work is done by the reader alone.
  const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 2U, 4U) - 1;
  LogReader reader(connection, argv[2], {.from = *from, .threads = threads});
  for (Message message; (!end || reader.position() < *end) && reader.next(message);) {
    if (end && message.offset >= *end) break;
    sum.add(message);
  }
  if (reader.failure()) return complain(reader.failure()->text);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("%llu messages of %llu bytes, in frames of %llu bytes, %.3f seconds\n",
              static_cast<unsigned long long>(sum.messages), static_cast<unsigned long long>(sum.bytes),
              static_cast<unsigned long long>(reader.bytes()), seconds);
  return 0;
}
