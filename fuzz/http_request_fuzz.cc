// HTTP requests: in pieces they are parsed in the same way as in one, and an accepted request has only one
// interpretation.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/require.h"
#include "gateway/http/request_reader.h"

namespace {

using millrace::gateway::Request;
using millrace::gateway::RequestReader;

struct Outcome {
  RequestReader::State state;
  int status;
  size_t used;
  Request request;
};

Outcome read_in_pieces(std::string_view bytes, size_t piece) {
  RequestReader reader({.head_bytes = 1024, .body_bytes = 1024});
  Outcome outcome{reader.state(), 0, 0, {}};
  while (outcome.used < bytes.size() && outcome.state != RequestReader::State::Complete &&
         outcome.state != RequestReader::State::Refused) {
    const std::string_view part = bytes.substr(outcome.used, piece);
    const size_t used = reader.put(part);
    REQUIRE(used <= part.size());
    REQUIRE(used > 0);
    outcome.used += used;
    outcome.state = reader.state();
  }
  outcome.status = reader.status();
  if (outcome.state == RequestReader::State::Refused) REQUIRE(!reader.reason().empty());
  if (outcome.state == RequestReader::State::Complete) outcome.request = reader.take();
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const Outcome whole = read_in_pieces(text, size + 1);
  const Outcome single = read_in_pieces(text, 1);
  // One of the two may find out a few bytes earlier that a request is wrong.
  const bool is_complete = whole.state == RequestReader::State::Complete;
  REQUIRE(is_complete == (single.state == RequestReader::State::Complete));
  if (!is_complete) return 0;
  REQUIRE(whole.used == single.used);
  REQUIRE(whole.request.body == single.request.body);
  REQUIRE(whole.request.path == single.request.path);
  REQUIRE(whole.request.headers == single.request.headers);
  REQUIRE(whole.request.body.size() <= 1024);
  REQUIRE(!whole.request.header("content-length") || !whole.request.header("transfer-encoding"));
  return 0;
}
