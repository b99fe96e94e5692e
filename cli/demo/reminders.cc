// Reminders are written to a log's schedule. Some are cancelled, some are sent now. A group mails those that are due.
#include "cli/demo/group_worker.h"
#include "cli/demo/names.h"
#include "cli/demo/text.h"

namespace millrace::cli::demo {
namespace {

class Reminders : public Actor {
 public:
  void prepare(Line& line) override {
    line.ask({"TRETAIN", key("reminders"), "COUNT", "5000"});
    line.ask({"TGROUP", "CREATE", key("reminders"), "mailer", "NEXT"});
  }

  Milliseconds act(Line& line) override {
    const std::string reminder = text(R"({"customer":)", line.number(1, kCustomers), R"(,"text":"your )",
                                      line.one_of(kGoods), R"( is waiting"})");
    line.send({"TWRITE", key("reminders"), "DELAY", std::to_string(line.number(2'000, 60'000)), "ENTRIES",
               line.once_in(3) ? "basket" : "pickup", reminder});
    if (line.once_in(8)) change_one(line);
    return line.pause(kReminders);
  }

 private:
  void change_one(Line& line) {
    const Reply scheduled = line.ask({"TSCHED", "LIST", key("reminders"), "COUNT", "20"});
    if (scheduled.items.empty()) return;
    const Reply& one = line.one_of(scheduled.items);
    if (one.items.empty()) return;
    line.ask({"TSCHED", line.once_in(2) ? "CANCEL" : "NOW", key("reminders"), one.items[0].text});
  }
};

}  // namespace

void add_reminders(Cast& cast) {
  cast.push_back(std::make_unique<Reminders>());
  cast.push_back(
      std::make_unique<GroupWorker>(GroupWorkerHabits{.log = "reminders", .group = "mailer", .name = "fay"}));
}

}  // namespace millrace::cli::demo
