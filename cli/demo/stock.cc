// Locks: clerks who need the same shelves and wait in line, readers of the inventory, a leader, and sometimes a
// deadlock, in which each of two clerks waits for the shelf that the other one holds.
#include <chrono>

#include "cli/demo/actor.h"
#include "cli/demo/names.h"

namespace millrace::cli::demo {
namespace {

// Leases are short: a demo that was killed leaves no lock behind.
constexpr const char* kLease = "5000";

bool is_granted(const Reply& reply) { return reply.items.size() == 4 && reply.items[0].integer == 1; }

class Clerk : public Actor {
 public:
  explicit Clerk(std::string name) : name_(std::move(name)) {}

  void prepare(Line&) override {}

  Milliseconds act(Line& line) override {
    const bool reads = line.once_in(3);
    // Only a few shelves, so that clerks must wait in line.
    const std::string lock = reads ? key("inventory") : key("stock:" + std::string(kGoods[line.number(0, 1)]));
    Words words = {"LOCK.ACQUIRE", lock, name_, kLease};
    if (reads) words.emplace_back("SHARED");
    words.insert(words.end(), {"VALUE", "counts the shelf", "WAIT", "1000"});
    if (!is_granted(line.ask(words))) return Milliseconds(50);
    line.stage().rest(line.about(Milliseconds(600)));
    line.try_to({"LOCK.RELEASE", lock, name_});
    return line.about(Milliseconds(100));
  }

 private:
  const std::string name_;
};

class Leader : public Actor {
 public:
  explicit Leader(std::string name) : name_(std::move(name)) {}

  void prepare(Line&) override {}

  Milliseconds act(Line& line) override {
    const Words words = {"LOCK.ACQUIRE", key("leader"), name_, kLease, "VALUE", name_ + ":8080", "WAIT", "1000"};
    if (!is_granted(line.ask(words))) return Milliseconds(0);
    for (int renewals = line.number(10, 30); renewals > 0 && !line.stage().is_closing(); --renewals) {
      line.stage().rest(Milliseconds(1000));
      line.ask({"LOCK.RENEW", key("leader"), name_, kLease});
    }
    line.try_to({"LOCK.RELEASE", key("leader"), name_});
    return Milliseconds(1500);
  }

 private:
  const std::string name_;
};

// Takes one shelf, then the other; its partner does the same in the opposite order, at the same time. Clerks need other
// shelves: if the two waited in line with them, each would rarely hold one.
class Stubborn : public Actor {
 public:
  Stubborn(std::string name, const std::string& first, const std::string& second)
      : name_(std::move(name)), first_(key("stock:" + first)), second_(key("stock:" + second)) {}

  void prepare(Line&) override {}

  Milliseconds act(Line& line) override {
    if (is_granted(line.ask({"LOCK.ACQUIRE", first_, name_, kLease, "WAIT", "500"}))) {
      line.stage().rest(Milliseconds(700));
      for (int i = 0; i < 4 && !line.stage().is_closing(); ++i) {
        if (is_granted(line.ask({"LOCK.ACQUIRE", second_, name_, kLease, "WAIT", "900"}))) {
          line.try_to({"LOCK.RELEASE", second_, name_});
          break;
        }
      }
      line.try_to({"LOCK.RELEASE", first_, name_});
    }
    constexpr Milliseconds kEvery{20'000};
    return kEvery - line.stage().age() % kEvery;
  }

 private:
  const std::string name_, first_, second_;
};

}  // namespace

void add_stock(Cast& cast) {
  for (const char* name : {"clerk-1", "clerk-2", "clerk-3", "clerk-4"}) cast.push_back(std::make_unique<Clerk>(name));
  for (const char* name : {"north", "south"}) cast.push_back(std::make_unique<Leader>(name));
  cast.push_back(std::make_unique<Stubborn>("clerk-5", "table", "shelf"));
  cast.push_back(std::make_unique<Stubborn>("clerk-6", "shelf", "table"));
}

}  // namespace millrace::cli::demo
