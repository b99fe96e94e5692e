// Devices in a routing table, some with filters. Changes of the goods are dispatched to a log for each transport, from
// which a group delivers; delivery by mail is slow.
#include <utility>

#include "cli/demo/group_worker.h"
#include "cli/demo/names.h"
#include "cli/demo/text.h"

namespace millrace::cli::demo {
namespace {

constexpr int kDeviceCount = 36;

std::string device(int number) {
  return text("device-", number, "|", kTransports[static_cast<size_t>(number) % std::size(kTransports)]);
}

// The device's filter. Every fourth device gets everything.
std::string filter(int number) {
  const auto pick = static_cast<size_t>(number / 4);
  switch (number % 4) {
    case 1:
      return text(R"({"goods":")", kGoods[pick % std::size(kGoods)], R"("})");
    case 2:
      return text(R"({"stock":{"$lt":)", 5 + number % 3, "}}");
    case 3:
      return text(R"({"city":{"$in":[")", kCities[pick % std::size(kCities)], R"(",")",
                  kCities[(pick + 3) % std::size(kCities)], R"("]}})");
    default:
      return {};
  }
}

class Dispatcher : public Actor {
 public:
  void prepare(Line& line) override {
    for (const std::string_view transport : kTransports) {
      const std::string log = key("to:" + std::string(transport));
      line.ask({"TRETAIN", log, "COUNT", "3000"});
      line.ask({"TGROUP", "CREATE", log, "senders", "NEXT"});
    }
    for (int number = 1; number <= kDeviceCount; ++number) enter(line, number);
  }

  Milliseconds act(Line& line) override {
    const std::string goods(line.one_of(kGoods));
    const std::string change =
        text(R"({"goods":")", goods, R"(","city":")", line.one_of(kCities), R"(","stock":)", line.number(0, 30), "}");
    line.send({"ROUTE.DISPATCH", key("devices"), "APP", "shop", "MODEL", "goods", "ID", goods, "DOC", change, "EVENT",
               "stock", "QUEUES", "*", key("to:")});
    if (line.once_in(10)) come_or_go(line);
    return line.pause(kDevices);
  }

 private:
  void enter(Line& line, int number) {
    line.ask({"ROUTE.DEVICE", "SET", key("devices"), device(number), "USER",
              "customer-" + std::to_string(number / 2 + 1), "AGENT", number % 2 == 0 ? "phone" : "browser"});
    Words words = {"ROUTE.SUBSCRIBE", key("devices"), device(number), "APP", "shop", "MODEL", "goods"};
    if (const std::string wanted = filter(number); !wanted.empty()) words.insert(words.end(), {"FILTER", wanted});
    line.ask(words);
  }

  // One of the devices is offline for a while.
  void come_or_go(Line& line) {
    if (away_ != 0) {
      enter(line, std::exchange(away_, 0));
    } else {
      away_ = line.number(1, kDeviceCount);
      line.ask({"ROUTE.DEVICE", "DEL", key("devices"), device(away_)});
    }
  }

  int away_ = 0;
};

}  // namespace

void add_devices(Cast& cast) {
  cast.push_back(std::make_unique<Dispatcher>());
  cast.push_back(
      std::make_unique<GroupWorker>(GroupWorkerHabits{.log = "to:websocket", .group = "senders", .name = "gus"}));
  cast.push_back(std::make_unique<GroupWorker>(
      GroupWorkerHabits{.log = "to:push", .group = "senders", .name = "hal", .fails_once_in = 10}));
  cast.push_back(std::make_unique<GroupWorker>(GroupWorkerHabits{.log = "to:mail",
                                                                 .group = "senders",
                                                                 .name = "ida",
                                                                 .works = Milliseconds(5'000),
                                                                 .rests = Milliseconds(15'000)}));
}

}  // namespace millrace::cli::demo
