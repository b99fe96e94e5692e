#include "client/load/pipeline.h"

#include <algorithm>
#include <utility>

#include "client/protocol.h"

namespace millrace::client {
namespace {

constexpr Milliseconds kFirstPause{50};
constexpr Milliseconds kLongestPause{2000};

std::unexpected<Error> connection_broke(const Endpoint& endpoint, const Transfer& transfer) {
  const std::string why = transfer.kind == Transfer::Kind::Closed ? "the server closed it" : transfer.why;
  return fail(ErrorCode::Closed, "the connection to " + endpoint.text() + " broke: " + why);
}

bool must_wait(const Transfer& transfer) {
  return transfer.kind == Transfer::Kind::MustRead || transfer.kind == Transfer::Kind::MustWrite;
}

}  // namespace

Pipeline::Pipeline(ConnectionOptions server, const PipelineLimits& limits)
    : server_(std::move(server)), limits_(limits), connection_(server_) {}

Result<void> Pipeline::open() {
  connection_ = Connection(server_);
  // A server that has just started answers this only when it has loaded its data.
  auto reply = connection_.call({"PING"});
  if (reply && reply->is_error()) reply = fail(ErrorCode::Unreachable, endpoint().text() + ": " + reply->text);
  if (!reply) {
    connection_.close();
    return std::unexpected(reply.error());
  }
  auto identity = ask_identity(connection_);
  if (!connection_.is_open()) return fail(ErrorCode::Unreachable, endpoint().text() + " went away again");
  if (has_confirmed_) comeback_ = {std::move(identity_), identity, last_heard_};
  identity_ = std::move(identity);
  is_open_ = true;
  replies_ = ReplyReader();
  last_heard_ = answer_expected_since_ = Clock::now();
  trouble_.reset();
  return {};
}

void Pipeline::add(Words words, uint64_t number, const Role& role) {
  char* const begin = buffer_.room(most_protocol_bytes(words));
  const size_t size = static_cast<size_t>(write_protocol(begin, words) - begin);
  buffer_.commit(size);
  enter(number, size, role);
}

void Pipeline::add(std::string_view bytes, uint64_t number, const Role& role) {
  buffer_.add(bytes);
  enter(number, bytes.size(), role);
}

void Pipeline::enter(uint64_t number, size_t size, const Role& role) {
  // The time-out for an answer begins when there is something to answer.
  if (unanswered_++ == 0) answer_expected_since_ = Clock::now();
  entries_.push_back({number, size, role});
}

Result<void> Pipeline::receive(const OnAnswer& on_answer) {
  if (!is_open_) return try_again();
  auto done = receive_some(on_answer);
  if (done && unanswered_ > 0 && Clock::now() - answer_expected_since_ > limits_.answer_timeout) {
    done = fail(ErrorCode::TimedOut, endpoint().text() + " has not answered for " +
                                         std::to_string(limits_.answer_timeout.count() / 1000) + " seconds");
  }
  if (!done) {
    // If this were sent again, it would end the server again.
    const bool was_its_wish = done.error().code == ErrorCode::Closed && unanswered_ > 0 && held_ == 0 &&
                              entries_.front().role.ends_server && buffer_.sent() > 0;
    if (was_its_wish) {
      take({}, on_answer);
      has_confirmed_ = false;
    }
    lose(done.error());
  }
  return {};
}

void Pipeline::send() {
  if (!is_open_) return;
  if (auto sent = send_some(); !sent) lose(sent.error());
}

Result<void> Pipeline::send_some() {
  while (!buffer_.unsent().empty()) {
    const Transfer sent = connection_.write_some(buffer_.unsent());
    if (must_wait(sent)) return {};
    if (sent.kind != Transfer::Kind::Done) return connection_broke(endpoint(), sent);
    buffer_.mark_sent(sent.bytes);
  }
  return {};
}

Result<void> Pipeline::receive_some(const OnAnswer& on_answer) {
  char bytes[64 << 10];
  do {
    const Transfer got = connection_.read_some(bytes, sizeof bytes);
    if (must_wait(got)) return {};
    if (got.kind != Transfer::Kind::Done) return connection_broke(endpoint(), got);
    last_heard_ = answer_expected_since_ = Clock::now();
    lost_at_.reset();
    pause_ = Milliseconds(0);
    tries_ = 0;
    replies_.feed({bytes, got.bytes});
    if (auto taken = take_replies(on_answer); !taken) return taken;
    // There is no event for bytes that TLS has decrypted already.
  } while (connection_.has_buffered());
  return {};
}

Result<void> Pipeline::take_replies(const OnAnswer& on_answer) {
  for (;;) {
    const auto reply = replies_.next();
    if (!reply) return std::unexpected(reply.error());
    if (!*reply) return {};
    if (unanswered_ == 0) return fail(ErrorCode::Protocol, endpoint().text() + " sent an answer to no command");
    // The sentinels know the new master by now; the refused commands are sent there.
    if (server_.sentinels && (*reply)->is_error && (*reply)->error.starts_with("READONLY")) {
      return fail(ErrorCode::Closed, endpoint().text() + " is a replica now");
    }
    take(**reply, on_answer);
  }
}

void Pipeline::take(const ReplyReader::Verdict& verdict, const OnAnswer& on_answer) {
  --unanswered_;
  has_confirmed_ = true;
  Entry& entry = entries_[held_];
  if (must_be_held(entry, verdict)) {
    entry.is_error = verdict.is_error;
    entry.error = verdict.error;
    ++held_;
    held_bytes_ += entry.size;
    return;
  }
  if (held_ > 0) {
    TransactionOutcome outcome(entry.role.part, verdict);
    end_transaction(outcome, on_answer);
    return release_front(outcome.of_end(), on_answer);
  }
  if (entry.role.selects && !verdict.is_error) server_.login.database = *entry.role.selects;
  release_front(verdict, on_answer);
}

// Whether the result of the command is known only when its transaction ends. After a MULTI that the server refused
// there is no transaction, and the following commands are executed directly.
bool Pipeline::must_be_held(const Entry& entry, const ReplyReader::Verdict& verdict) const {
  if (held_ > 0) return entry.role.part == Part::Begins || entry.role.part == Part::Inside;
  return entry.role.part == Part::Begins && !verdict.is_error;
}

void Pipeline::end_transaction(TransactionOutcome& outcome, const OnAnswer& on_answer) {
  for (; held_ > 0; --held_) {
    const Entry& entry = entries_.front();
    const std::string error = std::move(entries_.front().error);
    const ReplyReader::Verdict verdict = outcome.of_next({.is_error = entry.is_error, .error = error});
    // Only now, because on a new connection the whole transaction would start in the database in which this one
    // started.
    const bool has_selected = outcome.is_carried_out() && !verdict.is_error;
    if (entry.role.selects && has_selected) server_.login.database = *entry.role.selects;
    release_front(verdict, on_answer);
  }
  held_bytes_ = 0;
}

size_t Pipeline::drop_transaction() {
  if (held_ == 0) return 0;
  connection_.close();
  is_open_ = false;
  return std::exchange(held_, 0);
}

void Pipeline::give_up(const OnAnswer& take_over) {
  while (!entries_.empty()) release_front({}, take_over);
  held_ = held_bytes_ = unanswered_ = 0;
  has_confirmed_ = false;
}

void Pipeline::release_front(const ReplyReader::Verdict& verdict, const OnAnswer& on_answer) {
  const Entry& entry = entries_.front();
  if (!entry.role.is_preface) on_answer({entry.number, verdict, buffer_.oldest(entry.size)});
  buffer_.mark_answered(entry.size);
  entries_.pop_front();
}

void Pipeline::lose(Error why) {
  connection_.close();
  is_open_ = false;
  trouble_ = std::move(why);
  next_try_ = Clock::now() + pause_;
  // The server drops an unfinished transaction with its connection: all of it is sent again.
  buffer_.unsend();
  unanswered_ += held_;
  held_ = held_bytes_ = 0;
}

Result<void> Pipeline::try_again() {
  const Clock::time_point now = Clock::now();
  if (now < next_try_) return {};
  if (!lost_at_) lost_at_ = now;
  const bool is_too_long = now - *lost_at_ >= limits_.retry_for;
  if (tries_++ > 0 && is_too_long) return fail(ErrorCode::Unreachable, trouble_->text);
  pause_ = std::clamp(pause_ * 2, kFirstPause, kLongestPause);
  auto opened = open();
  if (opened) return {};
  trouble_ = opened.error();
  next_try_ = Clock::now() + pause_;
  if (is_too_long) return fail(ErrorCode::Unreachable, trouble_->text);
  return {};
}

std::optional<Pipeline::Clock::time_point> Pipeline::due() const {
  if (!is_open_) return next_try_;
  if (unanswered_ == 0) return std::nullopt;
  return answer_expected_since_ + limits_.answer_timeout;
}

}  // namespace millrace::client
