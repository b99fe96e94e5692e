#include "gateway/deliver/hook_response.h"

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

namespace millrace::gateway {
namespace {

namespace http = boost::beast::http;

constexpr uint32_t kMostHead = 32 << 10;
constexpr uint64_t kMostBody = 64 << 10;
constexpr int kMostInformational = 10;
// Beast waits for the end of the line before a chunk, or of the trailers, however long they are.
constexpr size_t kMostChunkLine = 4 << 10;
// When Beast needs more bytes for the line of a chunk, it assumes that the line is at least as long as the last
// chunk's.
constexpr size_t kShortestChunkLine = std::string_view("0\r\n\r\n").size();

}  // namespace

struct HookResponseReader::Parser : http::response_parser<http::string_body> {
  Parser() {
    header_limit(kMostHead);
    body_limit(kMostBody);
  }
};

HookResponseReader::HookResponseReader() : parser_(std::make_unique<Parser>()) {}
HookResponseReader::~HookResponseReader() = default;

void HookResponseReader::put(std::string_view bytes) {
  has_begun_ = has_begun_ || !bytes.empty();
  unparsed_.append(bytes);
  boost::system::error_code problem;
  while (state_ == State::Reading && !unparsed_.empty() && !problem) {
    if (parser_->is_header_done() && parser_->chunked() && unparsed_.size() < kShortestChunkLine) return;
    unparsed_.erase(0, parser_->put(boost::asio::buffer(unparsed_), problem));
    // Without eager() it stops after the headers. Beast 1.74 does not compare the announced length with the limit, and
    // would allocate that much.
    if (parser_->is_header_done() && !parser_->eager()) {
      if (parser_->content_length().value_or(0) > kMostBody) return finish(false);
      parser_->eager(true);
    }
    if (parser_->is_done() && parser_->get().result_int() / 100 == 1) {
      // Status 101 was not asked for.
      if (parser_->get().result_int() == 101 || ++informational_ > kMostInformational) state_ = State::Malformed;
      parser_ = std::make_unique<Parser>();
      problem = {};
      continue;
    }
    if (parser_->is_done()) finish(parser_->get().keep_alive() && unparsed_.empty());
  }
  if (state_ == State::Reading && parser_->is_header_done() && unparsed_.size() > kMostChunkLine) return finish(false);
  if (state_ != State::Reading || !problem || problem == http::error::need_more) return;
  // Only the status counts, whatever follows it.
  if (parser_->is_header_done()) return finish(false);
  state_ = State::Malformed;
}

void HookResponseReader::put_end() {
  if (!parser_->is_header_done() || parser_->get().result_int() / 100 == 1) {
    state_ = State::Malformed;
  } else {
    finish(false);
  }
}

void HookResponseReader::finish(bool keeps_alive) {
  const auto& message = parser_->get();
  if (message.result_int() < 200) {
    state_ = State::Malformed;
    return;
  }
  state_ = State::Complete;
  status_ = static_cast<int>(message.result_int());
  keeps_alive_ = keeps_alive;
  if (const auto found = message.find(http::field::retry_after); found != message.end()) {
    retry_after_ = std::string(found->value().data(), found->value().size());
  }
}

}  // namespace millrace::gateway
