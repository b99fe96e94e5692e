// Customers are hashes with an index over them. One customer has an amount that is not a number, and two have the same
// address: so the index also has conflicts and skipped documents.
#include "cli/demo/actor.h"
#include "cli/demo/names.h"
#include "cli/demo/text.h"

namespace millrace::cli::demo {
namespace {

constexpr std::string_view kNames[] = {"Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gina", "Hugo"};
constexpr int kSkipped = 13;
constexpr int kConflicting = 14;

class Register : public Actor {
 public:
  void prepare(Line& line) override {
    line.try_to({"IDX.CREATE", key("customers"), "PREFIX",  key("customer:"), "FIELD", "name", "TEXT", "NOCASE",
                 "FIELD",      "city",           "TEXT",    "NOCASE",         "FIELD", "mail", "TEXT", "UNIQUE",
                 "FIELD",      "spent",          "INTEGER", "ORDER",          "best",  "2",    "city", "spent"});
    for (int number = 1; number <= kCustomers && !line.is_lost(); ++number) {
      const int address = number == kConflicting ? kConflicting + 1 : number;
      line.ask({"HSET", customer(number), "name", std::string(line.one_of(kNames)), "city",
                std::string(line.one_of(kCities)), "mail", text("c", address, "@example.com"), "spent",
                number == kSkipped ? "a lot" : std::to_string(line.number(0, 90'000))});
    }
  }

  Milliseconds act(Line& line) override {
    const std::string who = customer(line.number(kConflicting, kCustomers));
    if (line.once_in(4)) {
      line.send({"HSET", who, "city", std::string(line.one_of(kCities))});
    } else {
      line.send({"HINCRBY", who, "spent", std::to_string(line.number(1, 400) * 100)});
    }
    if (line.once_in(4)) {
      line.ask({"IDX.FIND", key("customers"), "WHERE", "city", "=", std::string(line.one_of(kCities)), "WHERE", "spent",
                ">=", "50000", "ORDER", "best", "REV", "LIMIT", "5"});
    }
    return line.pause(kCustomerChanges);
  }
};

}  // namespace

void add_customers(Cast& cast) { cast.push_back(std::make_unique<Register>()); }

}  // namespace millrace::cli::demo
