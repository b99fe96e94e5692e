#include "module/feed/feed_server.h"

#include <memory>
#include <utility>

#include "module/abi/clock.h"
#include "module/abi/timer.h"
#include "module/runtime/reclaim.h"
#include "module/runtime/slice.h"
#include "module/runtime/watching.h"

namespace millrace::module {

namespace {

constexpr uint64_t kSweepMs = 1000;

// Removes its keys from the table in slices.
class ExpiredFeed final : public Reclaimable {
 public:
  explicit ExpiredFeed(std::unique_ptr<Feed> feed) : feed_(std::move(feed)) {}
  bool free_some() override { return feed_->free_some(); }

 private:
  std::unique_ptr<Feed> feed_;
};

// When a slot moves, there is no event for keys that do not exist. So these are checked, some every second. A replica
// checks none, because it would be redirected to its master for all of them.
void look_for_moved_keys(abi::Context context) {
  if (!context.is_cluster() || !context.is_master()) return;
  const Slice slice;
  feeds().each_in_turn([&](Feed& feed) {
    context.select(feed.database());
    for (size_t i = 0; i < feed.unborn() && !slice.is_over(); ++i) {
      Watch& watch = *feed.next_unborn();
      if (context.is_served_elsewhere(abi::OwnedString(watch.key_name()))) feed.set_dirty(watch);
    }
    return !slice.is_over();
  });
}

void sweep(abi::Context context) {
  for (auto& feed : feeds().take_expired(abi::monotonic_now())) {
    ++feed_counters.expired;
    reclaim(std::make_unique<ExpiredFeed>(std::move(feed)));
  }
  look_for_moved_keys(context);
  if (feeds().size() != 0) keep_sweeping();
}

}  // namespace

Feeds& feeds() {
  // Never destroyed: the process ends with them.
  static auto& all = *new Feeds(watched_keys(), feed_limits());
  return all;
}

void keep_sweeping() {
  static constinit abi::Timer timer(sweep);
  timer.set_at_latest(abi::now() + kSweepMs);
}

}  // namespace millrace::module
