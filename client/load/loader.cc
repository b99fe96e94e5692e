#include "client/load/loader.h"

#include <poll.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "client/load/dangerous_command.h"
#include "client/load/resp_splitter.h"

namespace millrace::client {
namespace {

using Clock = Pipeline::Clock;

// How long a stopped load waits for answers to the commands it has sent.
constexpr Milliseconds kLastWords{5000};
// Before a command is sent again that the cluster could not serve just now.
constexpr Milliseconds kPauseBeforeAgain{100};
constexpr Milliseconds kBetweenLooks{500};
constexpr Milliseconds kLongestWait{250};
// With several connections, how many commands the fastest may be ahead of the slowest. This bounds the ledger, and what
// a second run may repeat.
constexpr size_t kMostSpan = 100'000;

// Temporary states of a node.
bool is_passing(std::string_view error) {
  return error.starts_with("TRYAGAIN") || error.starts_with("CLUSTERDOWN") || error.starts_with("LOADING");
}

}  // namespace

Loader::Loader(const LoadOptions& options, CommandSource& source, LoadWatcher& watcher)
    : options_(options),
      source_(source),
      watcher_(watcher),
      router_(options.server, options.limits, options.connections),
      dependants_(
          [this](Words words) { return router_.try_out(words); },
          [this] { return source_.file_name(source_.begin().file) + ':' + std::to_string(source_.begin().line); }),
      ledger_(source.end()),
      told_(source.end()) {}

Result<Loader::End> Loader::run(LoadCounts& counts) {
  counts_ = counts;
  if (auto opened = router_.open(options_.connect_for); !opened) return std::unexpected(opened.error());
  losses_.emplace(options_.server, router_.is_cluster(), told_);
  effects_.emplace(router_.has_one_connection(), options_.allows_dangerous);
  std::optional<End> end;
  std::optional<Clock::time_point> deadline;
  const auto run_on = [&]() -> Result<void> {
    while (!deadline || Clock::now() < *deadline) {
      if (auto received = receive(); !received) return received;
      // Done before more is sent: if the run is killed now, only commands in flight are not recorded.
      if (auto told = tell_settled(); !told) return told;
      if (auto filled = fill(); !filled) return filled;
      for (Pipeline& pipeline : router_.pipelines()) {
        pipeline.send();
        tell_of_trouble(pipeline);
      }
      watcher_.moved_on(counts_);
      if (troubled_.empty()) losses_->look(ledger_.settled_up_to());
      if (is_at_end_ && is_idle() && (end || has_all_servers())) return {};
      const bool is_over = watcher_.is_stopped() || has_failed_enough();
      if (is_over && !end) {
        end = watcher_.is_stopped() ? End::Stopped : End::Strict;
        is_at_end_ = true;
        deadline = Clock::now() + kLastWords;
      } else {
        wait();
      }
    }
    return {};
  };
  auto ran = run_on();
  // Only whole transactions count: a second run sends this one again, from its MULTI on.
  for (Pipeline& pipeline : router_.pipelines()) counts_.sent -= pipeline.drop_transaction();
  if (ran) ran = tell_settled();
  // The failure that ended the run may be inside a transaction, which the next run begins again.
  if (ran && end == End::Strict) ledger_.tell_the_rest([&](const Ledger::Entry& entry) { tell_outcome(entry); });
  counts = counts_;
  if (!ran) return std::unexpected(ran.error());
  look_for_another_master();
  if (is_doubtful_ && end != End::Stopped) return End::Doubtful;
  return end.value_or(End::Complete);
}

// Takes commands from the source for as long as there is room for them.
Result<void> Loader::fill() {
  waits_for_input_ = false;
  if (is_draining_ && !is_idle()) return {};
  if (std::exchange(is_draining_, false) && router_.is_cluster()) router_.refresh();
  while (!is_at_end_ && !failure_ && !watcher_.is_stopped() &&
         (router_.has_one_connection() || ledger_.span() < kMostSpan)) {
    if (!has_command_) {
      const CommandSource::Step step = source_.next();
      // Ctrl-C also ends the program that writes the input, so the input may only seem to be complete.
      if (watcher_.is_stopped()) break;
      if (step == CommandSource::Step::End) is_at_end_ = has_read_all_ = true;
      waits_for_input_ = step == CommandSource::Step::Waiting;
      if (waits_for_input_) break;
      if (is_at_end_ || source_.begin().file != file_) leave_file();
      if (is_at_end_) break;
      if (step == CommandSource::Step::Bad) {
        settle(ledger_.enter(source_.begin(), source_.end()), Ledger::Outcome::Bad, source_.problem());
        watcher_.moved_on(counts_);
        if (has_failed_enough()) break;
        continue;
      }
    }
    has_command_ = true;
    const auto added = add_command();
    if (!added) return std::unexpected(added.error());
    if (!*added) break;
    has_command_ = false;
  }
  return {};
}

// A transaction must end in its file. Otherwise it would include commands of the next file; and at the end of the
// input, none of its commands would be executed, without any message.
void Loader::leave_file() {
  file_ = source_.begin().file;
  const bool is_refused = dependants_.is_in_refused_transaction();
  dependants_.leave_file();
  end_withheld();
  if (effects_->leaves_transaction() && !is_refused) discard_transaction(TransactionPart::Abandons);
}

void Loader::discard_transaction(TransactionPart how) {
  constexpr std::string_view kDiscard[] = {"DISCARD"};
  router_.pipelines().front().add(kDiscard, 0, {.part = how, .is_preface = true});
}

// A command that was refused, or depends on one that was.
void Loader::leave_out(uint64_t number, const Dependants::Verdict& verdict) {
  const bool is_refused = verdict.kind == Dependants::Verdict::Kind::Refused;
  const auto outcome = is_refused ? Ledger::Outcome::Failed : Ledger::Outcome::Bad;
  if (is_refused) ++counts_.sent;
  withheld_.push_back({number, outcome, verdict.why});
  if (verdict.abandons) discard_transaction(TransactionPart::GivesUp);
  if (!dependants_.is_in_refused_transaction()) end_withheld();
}

void Loader::end_withheld() {
  for (const Withheld& one : withheld_) settle(one.number, one.outcome, one.why);
  withheld_.clear();
}

// Gives the source's command to a pipeline. False: the pipeline has no room.
Result<bool> Loader::add_command() {
  const Words words = source_.words();
  const auto pipeline = router_.pipeline_for(words);
  if (!pipeline) {
    // The node that is asked for the key may be unreachable for a while, like any other node.
    if (!asked_in_vain_since_) asked_in_vain_since_ = Clock::now();
    if (Clock::now() - *asked_in_vain_since_ < options_.limits.retry_for) return false;
    return std::unexpected(pipeline.error());
  }
  asked_in_vain_since_.reset();
  if (!(*pipeline)->has_room()) return false;
  // A server that ends does not send the answers it still has.
  if (options_.allows_dangerous && ends_the_server(words) && !is_idle()) return false;
  const CommandEffects::Effect effect = effects_->next(words);
  const uint64_t number = ledger_.enter(source_.begin(), source_.end(), !source_.has_another());
  const Dependants::Verdict verdict = dependants_.judge(words, effect);
  if (verdict.kind != Dependants::Verdict::Kind::Send) {
    if (effect.is_select) refused_select_ = source_.begin();
    leave_out(number, verdict);
    return true;
  }
  if (source_.protocol().empty()) {
    (*pipeline)->add(words, number, effect.role);
  } else {
    (*pipeline)->add(source_.protocol(), number, effect.role);
  }
  ++counts_.sent;
  return true;
}

Result<void> Loader::receive() {
  // Sending again can open connections to new nodes, so it must not be done in this loop.
  for (Pipeline& pipeline : router_.pipelines()) {
    if (is_replaced(pipeline)) continue;
    auto received = pipeline.receive([&](const Pipeline::Answer& answer) { answered(pipeline, answer); });
    if (!received) return received;
    tell_of_trouble(pipeline);
    if (auto looked = look_for_losses(pipeline); !looked) return looked;
  }
  if (auto looked = look_for_new_owners(); !looked) return looked;
  return send_again();
}

void Loader::answered(Pipeline& pipeline, const Pipeline::Answer& answer) {
  if (answer.verdict.is_error) {
    if (redirected(pipeline, answer)) return;
    settle(answer.number, Ledger::Outcome::Failed, answer.verdict.error);
  } else {
    refused_since_.reset();
    settle(answer.number, Ledger::Outcome::Succeeded, {});
  }
}

// Whether the answer says that the command belongs to another node, or should come again.
bool Loader::redirected(Pipeline& pipeline, const Pipeline::Answer& answer) {
  const std::string_view error = answer.verdict.error;
  const bool is_asking = error.starts_with("ASK ");
  std::optional<Endpoint> to;
  if (is_asking || error.starts_with("MOVED ")) {
    auto target = redirection_target(error, pipeline.endpoint());
    if (!target || !router_.is_cluster()) return false;
    to = *target;
  } else if (!is_passing(error)) {
    return false;
  } else {
    again_at_ = Clock::now() + kPauseBeforeAgain;
  }
  if (!refused_since_) refused_since_ = Clock::now();
  if (Clock::now() - *refused_since_ > options_.limits.retry_for) return false;
  again_.push_back({answer.number, std::string(answer.command), std::move(to), is_asking});
  is_draining_ = true;
  return true;
}

Result<void> Loader::send_again() {
  if (again_.empty() || Clock::now() < again_at_) return {};
  RespSplitter splitter;
  for (; !again_.empty(); again_.pop_front()) {
    const Again& one = again_.front();
    splitter.split(one.bytes, true);
    Pipeline* pipeline = nullptr;
    if (one.to) {
      pipeline = &router_.pipeline_at(*one.to, splitter.words());
    } else {
      const auto routed = router_.pipeline_for(splitter.words());
      if (!routed) return std::unexpected(routed.error());
      pipeline = *routed;
    }
    if (one.is_asking) {
      constexpr std::string_view kAsking[] = {"ASKING"};
      pipeline->add(kAsking, 0, {.is_preface = true});
    }
    pipeline->add(one.bytes, one.number, {});
  }
  return {};
}

// If a node of a cluster is unreachable, another one may already serve its slots.
Result<void> Loader::look_for_new_owners() {
  if (!router_.is_cluster() || Clock::now() < next_look_) return {};
  const auto is_away = [](const Pipeline& pipeline) {
    return pipeline.trouble().has_value() && (!pipeline.is_idle() || pipeline.has_confirmed());
  };
  if (std::ranges::none_of(router_.pipelines(), is_away)) return {};
  next_look_ = Clock::now() + kBetweenLooks;
  if (!router_.refresh()) return {};
  for (Pipeline& pipeline : router_.pipelines()) {
    if (!is_away(pipeline) || router_.serves(pipeline.endpoint())) continue;
    const Loss loss = losses_->judge_replacement(pipeline, ledger_.succeeded_up_to());
    if (auto reported = report_loss("the cluster", loss); !reported) return reported;
    pipeline.give_up([&](const Pipeline::Answer& answer) {
      again_.push_back({answer.number, std::string(answer.command), std::nullopt});
    });
    is_draining_ = true;
  }
  return {};
}

// A server that came back must have the data that it had confirmed; otherwise reports what may be missing.
Result<void> Loader::look_for_losses(Pipeline& pipeline) {
  const auto comeback = pipeline.take_comeback();
  if (!comeback) return {};
  return report_loss(pipeline.endpoint().text(), losses_->judge(*comeback, ledger_.succeeded_up_to()));
}

Result<void> Loader::report_loss(const std::string& server, const Loss& loss) {
  const InputPosition confirmed = ledger_.succeeded_up_to();
  if (loss.kind == Loss::Kind::None) return {};
  if (loss.kind == Loss::Kind::Certain) {
    // A second run from this checkpoint would leave out the lost data.
    if (auto told = watcher_.settled({}, {}, options_.server.login.database); !told) return told;
    return fail(ErrorCode::DataLost, server + " lacks what was confirmed up to " + place_of(confirmed) + ": " +
                                         loss.why + "; load everything again, from the beginning of the input");
  }
  is_doubtful_ = true;
  watcher_.tell(server + " may lack what was confirmed from " + place_of(loss.from) + " to " + place_of(confirmed) +
                ": " + loss.why);
  return {};
}

// Sentinels may have named another master while the old one still answered us.
void Loader::look_for_another_master() {
  if (!options_.server.sentinels) return;
  const auto master = find_master(*options_.server.sentinels, options_.server);
  const Endpoint& ours = router_.pipelines().front().endpoint();
  if (!master || *master == ours) return;
  is_doubtful_ = true;
  watcher_.tell(master->text() + " is the master now, and may lack what " + ours.text() + " had not copied to it yet");
}

std::string Loader::place_of(const InputPosition& position) const {
  if (position.file >= source_.files()) return "the end of the input";
  return source_.file_name(position.file) + ':' + std::to_string(position.line);
}

void Loader::settle(uint64_t number, Ledger::Outcome outcome, std::string_view why) {
  if (outcome != Ledger::Outcome::Succeeded) ++failures_;
  ledger_.settle(number, outcome, why, [&](const Ledger::Entry& entry) { tell_outcome(entry); });
}

void Loader::tell_outcome(const Ledger::Entry& entry) {
  if (entry.outcome == Ledger::Outcome::Succeeded) {
    ++counts_.succeeded;
    return;
  }
  ++(entry.outcome == Ledger::Outcome::Bad ? counts_.bad : counts_.failed);
  if (failure_) return;
  if (auto noted = watcher_.failed(source_.file_name(entry.file), entry.line, *entry.why); !noted) {
    failure_ = noted.error();
  }
}

void Loader::tell_of_trouble(const Pipeline& pipeline) {
  const bool has_trouble = pipeline.trouble().has_value();
  if (has_trouble && troubled_.insert(&pipeline).second) {
    watcher_.tell(pipeline.trouble()->text + "; trying to reach it again");
  } else if (!has_trouble && troubled_.erase(&pipeline) > 0) {
    watcher_.tell(pipeline.endpoint().text() + " is back; going on");
    dependants_.forget_what_is_accepted();
  }
}

Result<void> Loader::tell_settled() {
  if (failure_) return std::unexpected(*failure_);
  InputPosition settled = ledger_.settled_up_to();
  // Behind the last record there may be blank lines before the end of the file.
  if (has_read_all_ && ledger_.is_all_settled()) settled = source_.end();
  if (settled == told_) return {};
  told_ = settled;
  // A second run must not continue in another database than the input selects.
  const auto refused = dependants_.refused_database();
  const bool is_behind =
      std::pair(settled.file, settled.offset) > std::pair(refused_select_.file, refused_select_.offset);
  const unsigned database = refused && is_behind ? *refused : router_.pipelines().front().database();
  return watcher_.settled(settled, counts_, database);
}

// True if the node is unreachable and other nodes serve its slots.
bool Loader::is_replaced(const Pipeline& pipeline) const {
  return pipeline.trouble() && pipeline.is_idle() && !pipeline.has_confirmed() && !router_.serves(pipeline.endpoint());
}

// Whether every server that has confirmed something can still be asked for it.
bool Loader::has_all_servers() {
  return std::ranges::none_of(router_.pipelines(),
                              [](const Pipeline& one) { return one.trouble() && one.has_confirmed(); });
}

bool Loader::is_idle() {
  return again_.empty() && std::ranges::all_of(router_.pipelines(), [](const Pipeline& one) { return one.is_idle(); });
}

// Waits until something can be done again.
void Loader::wait() {
  std::vector<pollfd> waited;
  // After the signal, the descriptor stays readable and would end every wait.
  if (!watcher_.is_stopped()) waited.push_back({watcher_.stop_descriptor(), POLLIN, 0});
  Clock::time_point until = Clock::now() + kLongestWait;
  for (const Pipeline& pipeline : router_.pipelines()) {
    if (pipeline.descriptor() >= 0) {
      const short events = static_cast<short>(pipeline.wants_to_send() ? POLLIN | POLLOUT : POLLIN);
      waited.push_back({pipeline.descriptor(), events, 0});
    }
    if (const auto due = pipeline.due()) until = std::min(until, *due);
  }
  if (waits_for_input_) waited.push_back({source_.descriptor(), POLLIN, 0});
  const auto left = std::chrono::ceil<Milliseconds>(until - Clock::now());
  poll(waited.data(), waited.size(), static_cast<int>(std::clamp<int64_t>(left.count(), 0, kLongestWait.count())));
}

}  // namespace millrace::client
