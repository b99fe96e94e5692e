#include "cli/load_session.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace millrace::cli {

LoadSession::LoadSession(client::CommandSource& source, std::string load, std::string server, bool is_quiet)
    : source_(source), load_(std::move(load)), server_(std::move(server)), progress_("millrace load", is_quiet) {}

client::Result<void> LoadSession::open(const std::string& checkpoint, const std::string& errors) {
  if (!checkpoint.empty()) {
    checkpoint_.emplace(checkpoint);
    auto found = checkpoint_->read();
    if (!found) return std::unexpected(found.error());
    // A checkpoint at the beginning of the input is ignored: it is the same as none.
    if (*found && (*found)->position != client::InputPosition{}) continued_ = std::move(*found);
  }
  if (continued_ && continued_->load != load_) {
    return client::fail(client::ErrorCode::BadInput,
                        checkpoint + " is of another load: " + continued_->load + "; this one is: " + load_);
  }
  if (continued_) {
    if (auto there = source_.continue_at(continued_->position); !there) return there;
    if (!continued_->server.empty() && continued_->server != server_) {
      tell("the earlier run loaded into " + continued_->server + "; this one goes on at " + server_ +
           ", and sends nothing again");
    }
    continued_->server = server_;
  }
  if (checkpoint_) {
    // Written before anything is sent: without a checkpoint, commands would be sent twice.
    const client::Checkpoint first = continued_.value_or(client::Checkpoint{load_, {}, 0, {}, server_});
    if (auto written = checkpoint_->write(first); !written) return written;
  }
  if (!errors.empty()) return errors_.open(errors, continued_.has_value());
  return {};
}

std::string LoadSession::summary(const client::LoadCounts& counts, const std::string& remark) const {
  const double time = seconds();
  char timing[80];
  std::snprintf(timing, sizeof timing, " in %.3f seconds (%.0f a second)", time,
                static_cast<double>(answered(counts)) / std::max(time, 1e-9));
  std::string text = std::to_string(counts.sent) + " sent, " + std::to_string(counts.succeeded) + " succeeded, " +
                     std::to_string(counts.failed) + " failed";
  if (counts.bad > 0) text += ", " + std::to_string(counts.bad) + " bad records left out";
  if (continued_) text += ", an earlier run included,";
  return text + remark + timing;
}

client::Result<void> LoadSession::close() {
  progress_.clear();
  return errors_.flush();
}

client::Result<void> LoadSession::failed(const std::string& file, uint64_t line, std::string_view why) {
  progress_.clear();
  return errors_.note(file, line, why);
}

// Errors must be in their file before the checkpoint marks them as settled.
client::Result<void> LoadSession::settled(const client::InputPosition& position, const client::LoadCounts& counts,
                                          unsigned database) {
  if (auto flushed = errors_.flush(); !flushed) return flushed;
  if (!checkpoint_) return {};
  // Commands in flight will be sent again, and counted then.
  client::LoadCounts answered = counts;
  answered.sent = counts.succeeded + counts.failed;
  return checkpoint_->write({load_, position, database, answered, server_});
}

void LoadSession::moved_on(const client::LoadCounts& counts) {
  progress_.show([&] { return ProgressFacts{answered(counts), source_.bytes_taken(), source_.size(), seconds()}; });
}

void LoadSession::tell(const std::string& sentence) {
  progress_.clear();
  std::fprintf(stderr, "millrace load: %s\n", sentence.c_str());
}

double LoadSession::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

uint64_t LoadSession::answered(const client::LoadCounts& counts) const {
  const uint64_t all = counts.succeeded + counts.failed;
  return continued_ ? all - continued_->counts.succeeded - continued_->counts.failed : all;
}

}  // namespace millrace::cli
