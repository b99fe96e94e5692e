#include "gateway/http/http_connection.h"

#include <sys/epoll.h>

#include <utility>

namespace millrace::gateway {
namespace {

// The limit for a client that sends further requests before it reads answers.
constexpr size_t kMostAhead = 64 << 10;
constexpr Milliseconds kLinger{1000};

Transport made_transport(int descriptor, std::optional<client::TlsSession> tls) {
  if (tls) return {descriptor, std::move(*tls)};
  return Transport(descriptor);
}

}  // namespace

void Exchange::respond(Response response) {
  if (connection_) std::exchange(connection_, nullptr)->respond(std::move(response));
}

HttpConnection::HttpConnection(HttpHost& host, int descriptor, std::optional<client::TlsSession> tls, std::string peer)
    : host_(host), transport_(made_transport(descriptor, std::move(tls))), peer_(std::move(peer)) {
  note_.since = host_.loop().now();
  watched_ = EPOLLIN | EPOLLRDHUP;
  host_.loop().watch(transport_.descriptor(), watched_, *this);
  set_deadline(host_.timeouts().head);
}

HttpConnection::~HttpConnection() {
  if (phase_ != Phase::Over) host_.loop().forget(transport_.descriptor(), *this);
}

void HttpConnection::set_deadline(Milliseconds time) { deadline_ = host_.loop().now() + time; }

void HttpConnection::on_ready(uint32_t events) {
  if ((events & EPOLLOUT) != 0) {
    flush();
    if (phase_ == Phase::Idle) go_on();
  }
  if (phase_ == Phase::Over) return;
  if ((events & (EPOLLHUP | EPOLLERR)) != 0) {
    end();
  } else if ((events & EPOLLIN) != 0 && is_reading_) {
    receive();
  } else if ((events & EPOLLRDHUP) != 0) {
    take_end();
  }
}

void HttpConnection::receive() {
  const auto room = host_.loop().scratch();
  do {
    const client::Transfer got = transport_.read(room.data(), room.size());
    using Kind = client::Transfer::Kind;
    if (got.kind == Kind::MustRead || got.kind == Kind::MustWrite) return;
    if (got.kind == Kind::Closed) return take_end();
    if (got.kind != Kind::Done) return end();
    take({room.data(), got.bytes});
  } while (phase_ != Phase::Over && is_reading_ && transport_.has_buffered());
}

// The client does not read the last answer, so its next request waits.
bool HttpConnection::is_held_up() const { return phase_ == Phase::Idle && (ahead_ || !output_.is_empty()); }

// The client has closed the connection, or will not send any more; it may still read an answer in progress.
void HttpConnection::take_end() {
  if (is_held_up()) {
    // go_on() reads on, and finds the end again.
    is_reading_ = false;
    return watch();
  }
  if (phase_ != Phase::Serving && phase_ != Phase::Ending) return end();
  is_reading_ = false;
  keeps_alive_ = false;
  watch();
  if (const auto exchange = exchange_) exchange->drain();
}

void HttpConnection::take(std::string_view bytes) {
  if (phase_ == Phase::Streaming) {
    const auto stream = stream_;
    if (!stream->on_bytes(bytes) && phase_ != Phase::Over) end();
  } else if (phase_ == Phase::Serving || is_held_up()) {
    if (!ahead_) ahead_ = std::make_unique<std::string>();
    ahead_->append(bytes);
    is_reading_ = ahead_->size() < kMostAhead;
    watch();
  } else if (phase_ == Phase::Idle || phase_ == Phase::Reading) {
    take_request_bytes(bytes);
  }  // otherwise the rest is only read and dropped
}

void HttpConnection::take_request_bytes(std::string_view bytes) {
  if (phase_ == Phase::Idle) {
    phase_ = Phase::Reading;
    reader_ = std::make_unique<RequestReader>(host_.limits());
    set_deadline(host_.timeouts().head);
    began_ = host_.loop().now();
  }
  const bool was_head = reader_->state() == RequestReader::State::Head;
  const size_t used = reader_->put(bytes);
  if (reader_->takes_continue()) output_.add("HTTP/1.1 100 Continue\r\n\r\n");
  switch (reader_->state()) {
    case RequestReader::State::Head:
      return;
    case RequestReader::State::Body:
      if (was_head) set_deadline(host_.timeouts().body);
      return flush();
    case RequestReader::State::Refused:
      return refuse(reader_->status(), reader_->reason());
    case RequestReader::State::Complete:
      if (used < bytes.size()) ahead_ = std::make_unique<std::string>(bytes.substr(used));
      return serve();
  }
}

// Nothing that follows can be understood.
void HttpConnection::refuse(int status, const std::string& reason) {
  // First, because the reason may be in the reader.
  Response refusal = error_response(status, reason);
  keeps_alive_ = false;
  is_head_ = false;
  ahead_.reset();
  phase_ = Phase::Serving;
  reader_.reset();
  respond(std::move(refusal));
}

void HttpConnection::serve() {
  Request request = reader_->take();
  reader_.reset();
  phase_ = Phase::Serving;
  deadline_ = Moment::max();
  keeps_alive_ = request.keeps_alive && !host_.is_draining();
  is_head_ = request.method == "HEAD";
  exchange_ = std::make_shared<Exchange>(*this, std::move(request), peer_);
  host_.serve(exchange_);
}

void HttpConnection::respond(Response response) {
  const auto exchange = std::exchange(exchange_, nullptr);
  keeps_alive_ = keeps_alive_ && !host_.is_draining() && !response.stream;
  const auto took = std::chrono::duration_cast<Milliseconds>(host_.loop().now() - began_);
  static const Request refused{};
  host_.note_response(exchange ? exchange->request : refused, peer_, response, took);
  output_.add(written(response, keeps_alive_, is_head_));
  if (response.stream && !is_head_) {
    phase_ = Phase::Streaming;
    stream_ = std::move(response.stream);
    until_ = response.until;
    if (exchange) note_.stream = host_.note_stream(*exchange, response.is_upgrade);
    is_reading_ = true;
    set_deadline(host_.timeouts().write);
    stream_->begin(*this);
    if (phase_ == Phase::Streaming && ahead_) {
      const auto ahead = std::move(ahead_);
      take(*ahead);
    }
    if (phase_ != Phase::Over) flush();
    return;
  }
  phase_ = keeps_alive_ ? Phase::Idle : Phase::Ending;
  set_deadline(host_.timeouts().write);
  flush();
  if (phase_ == Phase::Idle) go_on();
}

// Continues with the requests that arrived while the last one was served. Requests that are answered at once do not
// call this again: a client that sends thousands of requests together must not cause deep recursion.
void HttpConnection::go_on() {
  if (goes_on_ || !output_.is_empty()) return;
  goes_on_ = true;
  is_reading_ = true;
  set_deadline(host_.timeouts().idle);
  while (phase_ == Phase::Idle && ahead_ && output_.is_empty()) {
    const auto ahead = std::move(ahead_);
    take_request_bytes(*ahead);
  }
  goes_on_ = false;
  watch();
}

void HttpConnection::send(const SharedBytes& bytes, size_t begin, size_t size) {
  if (phase_ != Phase::Streaming) return;
  const bool was_empty = output_.is_empty();
  output_.add(bytes, begin, size);
  if (!was_empty || flushes_) return;
  set_deadline(host_.timeouts().write);
  flush();
}

void HttpConnection::finish() {
  if (phase_ != Phase::Streaming) return;
  phase_ = Phase::Ending;
  keeps_alive_ = false;
  const auto stream = std::exchange(stream_, nullptr);
  if (stream) stream->on_end();
  flush();
}

void HttpConnection::flush() {
  if (flushes_ || phase_ == Phase::Over) return;
  flushes_ = true;
  while (!output_.is_empty()) {
    const client::Transfer done = transport_.write(output_.front());
    using Kind = client::Transfer::Kind;
    if (done.kind == Kind::MustWrite || done.kind == Kind::MustRead) break;
    if (done.kind != Kind::Done) {
      flushes_ = false;
      return end();
    }
    output_.remove(done.bytes);
    note_.sent += done.bytes;
    set_deadline(host_.timeouts().write);
    // A stream fills the empty buffer; more than a turn's share waits for the next turn.
    if (output_.is_empty() && stream_) stream_->on_sent();
  }
  flushes_ = false;
  if (phase_ == Phase::Over) return;
  if (output_.is_empty()) {
    if (phase_ == Phase::Ending) return linger();
    if (phase_ == Phase::Streaming || phase_ == Phase::Serving) deadline_ = Moment::max();
  }
  watch();
}

// Everything is sent. If a socket is closed while bytes of the client are unread, the client gets an error and may lose
// the answer. So these bytes are read and dropped until the client has closed its side.
void HttpConnection::linger() {
  if (!is_reading_) return end();  // the client has closed its side
  phase_ = Phase::Lingering;
  transport_.finish();
  is_reading_ = true;
  set_deadline(kLinger);
  watch();
}

void HttpConnection::watch() {
  const uint32_t wanted = (is_reading_ ? EPOLLIN | EPOLLRDHUP : 0U) | (output_.is_empty() ? 0U : EPOLLOUT);
  if (wanted == watched_ || phase_ == Phase::Over) return;
  watched_ = wanted;
  host_.loop().change(transport_.descriptor(), watched_, *this);
}

void HttpConnection::drain() {
  switch (phase_) {
    case Phase::Idle:
      return end();
    case Phase::Streaming: {
      const auto stream = stream_;
      return stream->drain();
    }
    case Phase::Serving:
      keeps_alive_ = false;
      if (exchange_) {
        const auto exchange = exchange_;
        exchange->drain();
      }
      return;
    case Phase::Reading:
    case Phase::Ending:
    case Phase::Lingering:
    case Phase::Over:
      keeps_alive_ = false;
      return;
  }
}

void HttpConnection::expire() {
  if (phase_ != Phase::Streaming) return end();
  const auto stream = stream_;
  stream->expire();
}

void HttpConnection::check_deadline(Moment now) {
  if (phase_ == Phase::Streaming && now >= until_) {
    const auto stream = stream_;
    return stream->expire();
  }
  if (now < deadline_) return;
  if (phase_ == Phase::Reading) return refuse(408, "the request did not come in time");
  end();
}

void HttpConnection::keep_alive() {
  if (phase_ != Phase::Streaming) return;
  const auto stream = stream_;
  if (!stream->keep_alive()) end();
}

void HttpConnection::end() {
  if (phase_ == Phase::Over) return;
  phase_ = Phase::Over;
  host_.loop().forget(transport_.descriptor(), *this);
  if (const auto exchange = std::exchange(exchange_, nullptr)) exchange->leave();
  if (const auto stream = std::exchange(stream_, nullptr)) stream->on_end();
  host_.remove(*this);
}

}  // namespace millrace::gateway
