#include "gateway/http/request_reader.h"

#include <algorithm>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <iterator>
#include <utility>

#include "gateway/http/head_check.h"

namespace millrace::gateway {
namespace {

namespace http = boost::beast::http;

// The line before a chunk, including extensions.
constexpr size_t kMostChunkLine = 4 << 10;
constexpr size_t kShortestLastChunk = std::string_view("0\r\n\r\n").size();

std::string text_of(boost::beast::string_view view) { return {view.data(), view.size()}; }

}  // namespace

struct RequestReader::Parser : http::request_parser<http::string_body> {};

RequestReader::RequestReader(RequestLimits limits) : limits_(limits) {}
RequestReader::~RequestReader() = default;

size_t RequestReader::put(std::string_view bytes) {
  const size_t used = state_ == State::Head ? put_head(bytes) : 0;
  if (state_ != State::Body) return used;
  return used + put_body(bytes.substr(used));
}

size_t RequestReader::put_head(std::string_view bytes) {
  const size_t before = unparsed_.size();
  unparsed_.append(bytes.substr(0, limits_.head_bytes + 1 - before));
  const size_t end = unparsed_.find("\r\n\r\n", before < 3 ? 0 : before - 3);
  if (end == unparsed_.npos) {
    if (unparsed_.size() > limits_.head_bytes) refuse(431, "the headers are too large");
    return std::min(bytes.size(), limits_.head_bytes + 1 - before);
  }
  unparsed_.resize(end + 4);
  const size_t used = unparsed_.size() - before;
  take_head();
  std::string().swap(unparsed_);
  return used;
}

void RequestReader::take_head() {
  if (const auto wrong = wrong_with_head(unparsed_); !wrong.empty()) {
    return refuse(400, "the request has " + std::string(wrong));
  }
  parser_ = std::make_unique<Parser>();
  parser_->header_limit(static_cast<uint32_t>(limits_.head_bytes + 1));
  parser_->body_limit(limits_.body_bytes);
  parser_->eager(true);
  boost::system::error_code problem;
  parser_->put(boost::asio::buffer(unparsed_), problem);
  if (problem == http::error::body_limit) return refuse(413, "the body is too large");
  if (problem == http::error::bad_version) return refuse(505, "the version of HTTP is not 1.0 or 1.1");
  if (problem && problem != http::error::need_more) {
    return refuse(400, "the request is malformed: " + problem.message());
  }
  if (!parser_->is_header_done()) return refuse(400, "the request is malformed");
  const auto& message = parser_->get();
  if (message.version() != 10 && message.version() != 11) return refuse(505, "the version of HTTP is not 1.0 or 1.1");
  request_.method = text_of(message.method_string());
  request_.is_http_1_0 = message.version() == 10;
  request_.keeps_alive = message.keep_alive();
  request_.headers.reserve(static_cast<size_t>(std::distance(message.begin(), message.end())));
  for (const auto& field : message) request_.headers.emplace_back(text_of(field.name_string()), text_of(field.value()));
  if (!parse_target({message.target().data(), message.target().size()}, request_)) {
    return refuse(400, "the target of the request is malformed");
  }
  if (const auto expected = request_.header("expect")) {
    if (!same_letters(*expected, "100-continue")) return refuse(417, "an expectation that we do not know");
    wants_continue_ = !request_.is_http_1_0;
  }
  state_ = parser_->is_done() ? State::Complete : State::Body;
}

size_t RequestReader::put_body(std::string_view bytes) {
  const bool is_carried = !unparsed_.empty();
  if (is_carried) unparsed_.append(bytes);
  // Beast needs more bytes for the line of a chunk, and assumes that the line is at least as long as the last chunk's.
  if (is_carried && unparsed_.size() < kShortestLastChunk) return bytes.size();
  std::string_view left = is_carried ? std::string_view(unparsed_) : bytes;
  boost::system::error_code problem;
  while (!left.empty() && !parser_->is_done() && !problem) {
    left.remove_prefix(parser_->put(boost::asio::buffer(left), problem));
  }
  if (problem == http::error::body_limit) {
    refuse(413, "the body is too large");
  } else if (problem && problem != http::error::need_more) {
    refuse(400, "the body is malformed: " + problem.message());
  } else if (!parser_->is_done() && left.size() > kMostChunkLine) {
    refuse(400, "the body is malformed");
  } else if (parser_->is_done()) {
    state_ = State::Complete;
    return bytes.size() - left.size();
  }
  std::string rest(left);
  unparsed_.swap(rest);
  return bytes.size();
}

bool RequestReader::takes_continue() { return state_ == State::Body && std::exchange(wants_continue_, false); }

Request RequestReader::take() {
  request_.body = std::move(parser_->get().body());
  return std::move(request_);
}

void RequestReader::refuse(int status, std::string reason) {
  state_ = State::Refused;
  status_ = status;
  reason_ = std::move(reason);
}

}  // namespace millrace::gateway
