// Orders are written to a log. Three groups read it: payment, where some cards are declined until the order is a dead
// letter; shipping, which takes breaks and falls behind; and analysts, who stop reading for long.
#include "cli/demo/group_worker.h"
#include "cli/demo/names.h"
#include "cli/demo/text.h"

namespace millrace::cli::demo {
namespace {

constexpr const char* kDeclined = R"("card":"declined")";

class Customers : public Actor {
 public:
  void prepare(Line& line) override {
    line.ask({"TRETAIN", key("orders"), "COUNT", "20000"});
    line.ask({"TRETAIN", key("orders:dead"), "COUNT", "1000"});
    for (const char* group : {"payment", "shipping", "analysts"}) {
      line.ask({"TGROUP", "CREATE", key("orders"), group, "NEXT"});
    }
    // A worker may have made the group before.
    line.ask({"TGROUP", "SET", key("orders"), "payment", "MAXATTEMPTS", "3", "DEADLETTER", key("orders:dead")});
  }

  Milliseconds act(Line& line) override {
    const std::string order = text(R"({"order":)", ++last_, R"(,"customer":)", line.number(1, kCustomers),
                                   R"(,"city":")", line.one_of(kCities), R"(","goods":")", line.one_of(kGoods),
                                   R"(","quantity":)", line.number(1, 4), R"(,"cents":)", line.number(5, 400) * 100 - 1,
                                   ",", line.once_in(30) ? kDeclined : R"("card":"good")", "}");
    line.send({"TWRITE", key("orders"), line.once_in(8) ? "gift" : "order", order});
    return line.pause(kOrders);
  }

 private:
  int last_ = 0;
};

// Sometimes sends dead letters back: most become dead letters again.
class Support : public Actor {
 public:
  void prepare(Line&) override {}
  Milliseconds act(Line& line) override {
    if (is_at_work_) line.ask({"TREDRIVE", key("orders:dead"), "COUNT", "3"});
    is_at_work_ = true;
    return line.about(Milliseconds(30'000));
  }

 private:
  bool is_at_work_ = false;
};

}  // namespace

void add_orders(Cast& cast) {
  cast.push_back(std::make_unique<Customers>());
  for (const char* name : {"ann", "bob"}) {
    cast.push_back(std::make_unique<GroupWorker>(
        GroupWorkerHabits{.log = "orders", .group = "payment", .name = name, .hopeless = kDeclined}));
  }
  for (const char* name : {"carl", "dora"}) {
    cast.push_back(std::make_unique<GroupWorker>(GroupWorkerHabits{.log = "orders",
                                                                   .group = "shipping",
                                                                   .name = name,
                                                                   .works = Milliseconds(25'000),
                                                                   .rests = Milliseconds(15'000)}));
  }
  cast.push_back(std::make_unique<GroupWorker>(GroupWorkerHabits{.log = "orders",
                                                                 .group = "analysts",
                                                                 .name = "emil",
                                                                 .works = Milliseconds(3'000),
                                                                 .rests = Milliseconds(117'000)}));
  cast.push_back(std::make_unique<Support>());
}

}  // namespace millrace::cli::demo
