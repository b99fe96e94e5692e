#include "client/load/loss_watch.h"

#include <utility>

namespace millrace::client {
namespace {

constexpr Milliseconds kBetweenMarks{1000};
// How long the server may delay writes to an append-only file while the disk is busy. Also the assumed lag of a replica
// if its lag is unknown.
constexpr Milliseconds kLastMoments{2000};
// Questions to the server during a load must not delay it.
constexpr Milliseconds kShortPatience{500};

ConnectionOptions with_short_patience(ConnectionOptions server) {
  server.connect_timeout = server.answer_timeout = kShortPatience;
  return server;
}

}  // namespace

LossWatch::LossWatch(ConnectionOptions server, bool is_cluster, const InputPosition& begin)
    : connection_(with_short_patience(std::move(server))),
      asks_offsets_(!is_cluster),
      begin_(begin),
      next_look_(Clock::now() + kBetweenMarks),
      marks_(begin) {}

void LossWatch::look(const InputPosition& settled) {
  if (is_asked_) {
    const auto info = connection_.receive_some();
    if (info && !*info) return;
    is_asked_ = false;
    const auto identity = info ? parse_identity((*info)->text) : std::nullopt;
    if (identity) marks_.set_offset(identity->offset);
    // If the user has no right to ask, do not try again every second.
    asks_offsets_ = !info || identity;
  }
  const auto now = Clock::now();
  if (now < next_look_) return;
  next_look_ = now + kBetweenMarks;
  marks_.add(now, settled);
  if (!asks_offsets_) return;
  constexpr std::string_view kInfo[] = {"INFO"};
  is_asked_ = connection_.send(kInfo).has_value();
}

Loss LossWatch::judge(const Pipeline::Comeback& comeback, const InputPosition& confirmed) const {
  const Kept kept = what_is_kept(comeback.before, comeback.now);
  Loss loss{.kind = Loss::Kind::Possible, .from = begin_};
  switch (kept.what) {
    case Kept::What::All:
      return {};
    case Kept::What::UpToOffset:
      loss.from = marks_.confirmed_before(kept.end);
      loss.why = "it has taken over, and may lack what the server before it had not copied to it yet";
      break;
    case Kept::What::AllButTheLast:
      loss.from = marks_.confirmed_at(comeback.last_heard - kLastMoments);
      loss.why = "it was restarted, and its append-only file may lack the last two seconds (appendfsync)";
      break;
    case Kept::What::Nothing:
      loss.kind = Loss::Kind::Certain;
      loss.why = "it was restarted without an append-only file, or has the data of another server";
      break;
    case Kept::What::Unsaid:
      loss.why = "this user may not ask it (INFO) whether it was restarted";
      break;
  }
  return loss.from == confirmed ? Loss{} : loss;
}

Loss LossWatch::judge_replacement(const Pipeline& lost, const InputPosition& confirmed) const {
  if (!lost.has_confirmed()) return {};
  const InputPosition from = marks_.confirmed_at(lost.last_heard() - kLastMoments);
  if (from == confirmed) return {};
  return {Loss::Kind::Possible, from,
          "other nodes have taken over from " + lost.endpoint().text() +
              ", and may lack what it had not copied to them yet"};
}

}  // namespace millrace::client
