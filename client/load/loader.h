// Sends the commands of a source to a server or a cluster, as fast as it takes them, and
// checks every answer.
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
  // Of the part of the input before which, and in which, everything is settled:
  uint64_t succeeded = 0;
  uint64_t failed = 0;  // answered with an error
  uint64_t bad = 0;     // records that are no command and were not sent
};

// Whoever looks on while a load runs.
class LoadWatcher {
 public:
  virtual ~LoadWatcher() = default;

  // A record that is no command, or was answered with an error; in the order of the input.
  // Output: it cannot be noted, and the load ends.
  virtual Result<void> failed(const std::string& file, uint64_t line, std::string_view why) = 0;

  // Everything before this place is settled, and the counts and failures are exactly those of
  // what lies before it. Output: as above.
  virtual Result<void> settled(const InputPosition& position, const LoadCounts& counts, unsigned database) = 0;

  // Called often.
  virtual void moved_on(const LoadCounts& counts) = 0;

  // One sentence that people should read: the server is away, or back.
  virtual void tell(const std::string& sentence) = 0;

  // Whether the user wants it to end, and what becomes readable then.
  virtual bool is_stopped() const = 0;
  virtual int stop_descriptor() const = 0;
};

struct LoadOptions {
  ConnectionOptions server;
  PipelineLimits limits;
  unsigned connections = 1;       // to each node
  uint64_t most_failures = 0;     // this many end the run; 0: failures never end it
  bool allows_dangerous = false;  // FLUSHALL, SHUTDOWN and the like are sent
  Milliseconds connect_for{0};    // how long to try to reach a server that is not there yet
};

class Loader {
 public:
  // The source and the watcher outlive it.
  Loader(const LoadOptions& options, CommandSource& source, LoadWatcher& watcher);

  enum class End {
    Complete,
    Doubtful,  // as Complete, but something that was confirmed may be missing: the watcher was told
    Strict,    // as many failures as it may have
    Stopped,
  };

  // Runs to the end of the source, or until it is stopped; then what is under way is still
  // answered, for some seconds. Counts continue from `counts`. An error ends it at once:
  // Unreachable, Output, or DataLost: the server came back without what it had confirmed. The
  // watcher was told then that nothing is settled.
  Result<End> run(LoadCounts& counts);

 private:
  // A command that must go somewhere else, or once more.
  struct Again {
    uint64_t number;
    std::string bytes;
    std::optional<Endpoint> to;  // nothing: wherever its key is served
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
  // Of a transaction that was refused: told when it is over, for a second run begins with MULTI.
  std::vector<Withheld> withheld_;
  InputPosition refused_select_;  // where the last one is
  Ledger ledger_;
  LoadCounts counts_;
  InputPosition told_;
  uint64_t file_ = 0;          // in which the source's last record is
  bool has_command_ = false;   // the source's last one still waits for room
  bool is_at_end_ = false;     // nothing more is taken from the source
  bool has_read_all_ = false;  // because there is nothing more
  bool waits_for_input_ = false;
  uint64_t failures_ = 0;     // in this run
  bool is_draining_ = false;  // no new commands until all are answered: order
  std::deque<Again> again_;
  std::set<const Pipeline*> troubled_;  // those of which it was told
  Pipeline::Clock::time_point again_at_{};
  std::optional<Pipeline::Clock::time_point> asked_in_vain_since_;
  std::optional<Pipeline::Clock::time_point> refused_since_;  // since when nothing succeeded
  Pipeline::Clock::time_point next_look_{};
  std::optional<Error> failure_;  // of the watcher
};

}  // namespace millrace::client
