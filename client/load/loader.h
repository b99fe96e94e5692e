// Sends the commands of a source to a server or a cluster, as fast as the server accepts them, and checks every answer.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "client/load/command_effect.h"
#include "client/load/command_source.h"
#include "client/load/dependants.h"
#include "client/load/ledger.h"
#include "client/load/loss_watch.h"
#include "client/load/router.h"

namespace millrace::client {

struct LoadCounts {
  uint64_t sent = 0;  // commands given to a server
  // Only for the part of the input in which everything is settled:
  uint64_t succeeded = 0;
  uint64_t failed = 0;  // answered with an error
  uint64_t bad = 0;     // records that are not a command and were not sent
};

// Gets the events of a running load.
class LoadWatcher {
 public:
  virtual ~LoadWatcher() = default;

  // A record that is not a command, or was answered with an error; in the order of the input.
  // Output: it cannot be recorded, and the load ends.
  virtual Result<void> failed(const std::string& file, uint64_t line, std::string_view why) = 0;

  // Everything before this place is settled, and the counts and failures are exactly those of that part. Output: as
  // above.
  virtual Result<void> settled(const InputPosition& position, const LoadCounts& counts, unsigned database) = 0;

  // Called often.
  virtual void moved_on(const LoadCounts& counts) = 0;

  // A message for the user, such as: the server cannot be reached, or is back.
  virtual void tell(const std::string& sentence) = 0;

  // Whether the user wants the load to end, and a descriptor that becomes readable then.
  virtual bool is_stopped() const = 0;
  virtual int stop_descriptor() const = 0;
};

struct LoadOptions {
  ConnectionOptions server;
  PipelineLimits limits;
  unsigned connections = 1;       // to each node
  uint64_t most_failures = 0;     // this many failures end the run; 0: failures never end it
  bool allows_dangerous = false;  // FLUSHALL, SHUTDOWN and the like are sent
  Milliseconds connect_for{0};    // how long to try to reach a server that has not started yet
};

class Loader {
 public:
  // REQUIRES: the source and the watcher outlive it.
  Loader(const LoadOptions& options, CommandSource& source, LoadWatcher& watcher);

  enum class End {
    Complete,
    Doubtful,  // like Complete, but confirmed data may be missing: the watcher was told
    Strict,    // the limit on failures was reached
    Stopped,
  };

  // Runs to the end of the source, or until it is stopped; then it still waits some seconds for answers to sent
  // commands. Counts continue from `counts`. An error ends it at once:
  // Unreachable, Output, or DataLost: the server came back without data that it had confirmed; the watcher was then
  // told that nothing is settled.
  Result<End> run(LoadCounts& counts);

 private:
  // A command that must be sent to another server, or again.
  struct Again {
    uint64_t number;
    std::string bytes;
    std::optional<Endpoint> to;  // nullopt: to the server of its key
    bool is_asking = false;
  };

  struct Withheld {
    uint64_t number;
    Ledger::Outcome outcome;
    std::string why;
  };

  Result<void> receive();
  Result<void> fill();
  Result<bool> add_command();
  void leave_out(uint64_t number, const Dependants::Verdict& verdict);
  void end_withheld();
  void discard_transaction(TransactionPart how);
  void leave_file();
  void answered(Pipeline& pipeline, const Pipeline::Answer& answer);
  bool redirected(Pipeline& pipeline, const Pipeline::Answer& answer);
  Result<void> send_again();
  Result<void> look_for_new_owners();
  Result<void> look_for_losses(Pipeline& pipeline);
  Result<void> report_loss(const std::string& server, const Loss& loss);
  void look_for_another_master();
  std::string place_of(const InputPosition& position) const;
  void settle(uint64_t number, Ledger::Outcome outcome, std::string_view why);
  void tell_outcome(const Ledger::Entry& entry);
  void tell_of_trouble(const Pipeline& pipeline);
  Result<void> tell_settled();
  bool has_failed_enough() const { return options_.most_failures > 0 && failures_ >= options_.most_failures; }
  bool is_idle();
  bool is_replaced(const Pipeline& pipeline) const;
  bool has_all_servers();
  void wait();

  LoadOptions options_;
  CommandSource& source_;
  LoadWatcher& watcher_;
  Router router_;
  std::optional<CommandEffects> effects_;
  Dependants dependants_;
  std::optional<LossWatch> losses_;
  bool is_doubtful_ = false;
  // Commands of a refused transaction: reported when it is over, because a second run begins with MULTI.
  std::vector<Withheld> withheld_;
  InputPosition refused_select_;  // the place of the last one
  Ledger ledger_;
  LoadCounts counts_;
  InputPosition told_;
  uint64_t file_ = 0;          // the file of the source's last record
  bool has_command_ = false;   // the source's last command still waits for room
  bool is_at_end_ = false;     // no more commands are taken from the source
  bool has_read_all_ = false;  // the source has no more commands
  bool waits_for_input_ = false;
  uint64_t failures_ = 0;     // in this run
  bool is_draining_ = false;  // no new commands until all are answered, to keep the order
  std::deque<Again> again_;
  std::set<const Pipeline*> troubled_;  // pipelines whose trouble was reported
  Pipeline::Clock::time_point again_at_{};
  std::optional<Pipeline::Clock::time_point> asked_in_vain_since_;
  std::optional<Pipeline::Clock::time_point> refused_since_;  // since when nothing succeeded
  Pipeline::Clock::time_point next_look_{};
  std::optional<Error> failure_;  // error of the watcher
};

}  // namespace millrace::client
