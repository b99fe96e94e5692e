#include "cli/demo/show.h"

#include <poll.h>

#include <cstdio>
#include <thread>
#include <vector>

#include "cli/demo/actor.h"
#include "cli/demo/claim.h"
#include "cli/demo/names.h"
#include "cli/exit_status.h"

namespace millrace::cli::demo {
namespace {

using client::ErrorCode;
using client::Result;

constexpr Milliseconds kRenewal{1000};
// If the server cannot be reached when the demo ends, this is how long the demo waits for it.
constexpr std::chrono::seconds kWaitToClean{60};

int say(const client::Error& error) {
  std::fprintf(stderr, "millrace demo: %s\n", error.text.c_str());
  return error.code == ErrorCode::BadInput ? kSomeFailed : kNoServer;
}

Cast whole_cast() {
  Cast cast;
  for (const auto add :
       {add_orders, add_reminders, add_news, add_devices, add_packing, add_stock, add_customers, add_searches}) {
    add(cast);
  }
  return cast;
}

void act(Actor& actor, Stage& stage) {
  Line line(stage);
  unsigned prepared = 1;
  while (!stage.is_closing()) {
    Milliseconds rest(0);
    // The number is read first: if the server loses its data during prepare(), the actor is prepared once more.
    if (const unsigned wanted = stage.preparation(); wanted != prepared) {
      actor.prepare(line);
      if (!line.is_lost()) prepared = wanted;
    } else {
      rest = actor.act(line);
    }
    if (line.is_lost()) {
      line.forget_loss();
      rest = Milliseconds(500);
    }
    stage.rest(rest);
  }
}

// Waits for the signal.
void wait(const StopSignal& stop, Milliseconds time) {
  pollfd waited{stop.descriptor(), POLLIN, 0};
  poll(&waited, 1, static_cast<int>(time.count()));
}

// Renews the claim while the actors act. An error ends the demo.
Result<void> keep(Claim& claim, Stage& stage, const ShowOptions& options, const StopSignal& stop) {
  while (!stop.came() && stage.age() < options.length) {
    wait(stop, std::min(kRenewal, options.length - stage.age()));
    auto renewed = claim.renew();
    if (renewed && !*renewed) {
      // The server was emptied, or it came back without its data.
      auto taken = claim.take();
      if (taken) taken = claim.list_keys();
      if (taken) stage.prepare_again();
      renewed = taken ? Result<bool>(true) : std::unexpected(taken.error());
    }
    if (!renewed && renewed.error().code == ErrorCode::BadInput) return std::unexpected(renewed.error());
    if (!renewed) stage.tell(renewed.error().text + "; trying again until it is back");
  }
  return {};
}

// Removes everything once the server is there. A second Ctrl-C ends the wait for a server, but not the work.
int close(Claim& claim, const StopSignal& stop) {
  const auto last = std::chrono::steady_clock::now() + kWaitToClean;
  for (;;) {
    auto taken = claim.take();
    const auto removed = taken ? claim.remove_all() : Result<size_t>(std::unexpected(taken.error()));
    if (removed) {
      claim.release();
      std::printf("The shop is closed; %zu keys removed.\n", *removed);
      return kDone;
    }
    if (removed.error().code == ErrorCode::BadInput) return say(removed.error());
    if (std::chrono::steady_clock::now() > last || stop.is_urgent()) {
      say(removed.error());
      std::fprintf(stderr, "millrace demo: its keys are still there; millrace demo --clean removes them\n");
      return kNoServer;
    }
    poll(nullptr, 0, 200);
  }
}

// Removes what a killed demo has left, and makes sure that the names are free.
Result<void> begin(Claim& claim) {
  if (auto removed = claim.remove_all(); !removed) return std::unexpected(removed.error());
  if (auto free = claim.refuse_strangers(); !free) return free;
  return claim.list_keys();
}

// Creates everything that actors need first, so that a refusal by the server is known at once.
Result<void> prepare(const Cast& cast, Stage& stage) {
  Line line(stage);
  for (const auto& actor : cast) {
    actor->prepare(line);
    if (!line.complaint().empty()) return client::fail(ErrorCode::BadInput, "the demo cannot be played here");
    if (line.is_lost()) return client::fail(ErrorCode::Unreachable, "the server went away");
  }
  return {};
}

}  // namespace

int play(const ShowOptions& options, StopSignal& stop) {
  client::Connection first(options.server);
  if (auto opened = first.open_within(options.connect_for); !opened) return say(opened.error());
  Claim claim(options.server);
  if (auto taken = claim.take(); !taken) return say(taken.error());
  if (auto begun = begin(claim); !begun) {
    claim.release();
    return say(begun.error());
  }
  Stage stage(options.server, options.rate);
  const Cast cast = whole_cast();
  int status = kDone;
  if (auto prepared = prepare(cast, stage); !prepared) {
    status = say(prepared.error());
  } else {
    std::printf("The shop is open: keys %s*, some %g messages a second, for %lld seconds. Ctrl-C closes it.\n",
                std::string(kPrefix).c_str(), options.rate,
                static_cast<long long>(std::chrono::ceil<std::chrono::seconds>(options.length).count()));
    std::fflush(stdout);
    std::vector<std::jthread> threads;
    threads.reserve(cast.size());
    for (const auto& actor : cast) threads.emplace_back([&] { act(*actor, stage); });
    const auto kept = keep(claim, stage, options, stop);
    stage.close();
    threads.clear();                      // waits for them
    if (!kept) return say(kept.error());  // another demo has the keys now
    std::printf("%llu messages were sent.\n", static_cast<unsigned long long>(stage.messages()));
  }
  const int closed = close(claim, stop);
  return status == kDone ? closed : status;
}

int clean(const ShowOptions& options) {
  client::Connection first(options.server);
  if (auto opened = first.open_within(options.connect_for); !opened) return say(opened.error());
  Claim claim(options.server);
  if (auto taken = claim.take(); !taken) return say(taken.error());
  const auto removed = claim.remove_all();
  claim.release();
  if (!removed) return say(removed.error());
  std::printf("%zu keys removed.\n", *removed);
  return kDone;
}

}  // namespace millrace::cli::demo
