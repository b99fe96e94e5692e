// One run of `millrace load` as the user sees it: progress, errors, checkpoint, Ctrl-C.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "cli/error_report.h"
#include "cli/progress.h"
#include "cli/stop_signal.h"
#include "client/load/checkpoint.h"
#include "client/load/loader.h"

namespace millrace::cli {

class LoadSession : public client::LoadWatcher {
 public:
  // REQUIRES: the source outlives it. `load` identifies the load in the checkpoint; `server` is the target, which may
  // differ for each run.
  LoadSession(client::CommandSource& source, std::string load, std::string server, bool is_quiet);

  // Uses these files; an empty name means no file. If there is a checkpoint, the source moves to its position.
  // BadInput: it belongs to another load, or is invalid. Output: a file cannot be written; the checkpoint is unchanged.
  client::Result<void> open(const std::string& checkpoint, const std::string& errors);

  // Where an earlier run ended: its counts, and the database its input had selected.
  const std::optional<client::Checkpoint>& continued() const { return continued_; }

  // "3 sent, 2 succeeded, 1 failed in 0.012 seconds (250 a second)"; `remark` follows the counts.
  std::string summary(const client::LoadCounts& counts, const std::string& remark) const;

  // Ends the session: removes the progress bar and completes the file of errors.
  client::Result<void> close();

  client::Result<void> failed(const std::string& file, uint64_t line, std::string_view why) override;
  client::Result<void> settled(const client::InputPosition& position, const client::LoadCounts& counts,
                               unsigned database) override;
  void moved_on(const client::LoadCounts& counts) override;
  void tell(const std::string& sentence) override;
  bool is_stopped() const override { return stop_.came(); }
  int stop_descriptor() const override { return stop_.descriptor(); }

 private:
  double seconds() const;
  // Only of this run.
  uint64_t answered(const client::LoadCounts& counts) const;

  client::CommandSource& source_;
  std::string load_;
  std::string server_;
  StopSignal stop_;
  ErrorReport errors_{"millrace load"};
  Progress progress_;
  std::optional<client::CheckpointFile> checkpoint_;
  std::optional<client::Checkpoint> continued_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace millrace::cli
