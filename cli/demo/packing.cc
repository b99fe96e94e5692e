// A pool of packers: each customer's parcels are packed in order by one of them. Sometimes one dies with parcels in
// flight; its customers move to the others, and it comes back later.
#include <map>

#include "cli/demo/actor.h"
#include "cli/demo/names.h"
#include "cli/demo/text.h"

namespace millrace::cli::demo {
namespace {

constexpr const char* kStale = "5000";
constexpr Milliseconds kDeadFor{12'000};

class Counter : public Actor {
 public:
  void prepare(Line& line) override {
    line.ask({"TRETAIN", key("packing:dead"), "COUNT", "1000"});
    line.ask({"SHARD.SET", key("packing"), "STALE", kStale, "MAXATTEMPTS", "4", "DEADLETTER", key("packing:dead"),
              "RECIPIENTMAX", "500"});
  }

  Milliseconds act(Line& line) override {
    const std::string parcel = text(R"({"parcel":)", ++last_, R"(,"goods":")", line.one_of(kGoods),
                                    line.once_in(60) ? R"(","broken":true})" : R"("})");
    line.send({"SHARD.PUSH", key("packing"), text("customer-", line.number(1, kCustomers / 3)), parcel});
    return line.pause(kPacking);
  }

 private:
  int last_ = 0;
};

class Packer : public Actor {
 public:
  explicit Packer(std::string name) : name_(std::move(name)) {}

  void prepare(Line& line) override { line.ask({"SHARD.JOIN", key("packing"), name_}); }

  Milliseconds act(Line& line) override {
    const Reply pulled = line.ask({"SHARD.PULL", key("packing"), name_, "COUNT", "10", "BLOCK", "500"});
    // While the packer was away or slow, the others may have got its customers.
    if (pulled.is_error("NOWORKER")) prepare(line);
    if (!pulled.items.empty() && line.once_in(150)) return kDeadFor;
    std::map<std::string, int64_t> packed;  // by recipient, up to this number
    const Reply* broken = nullptr;
    for (const Reply& parcel : pulled.items) {
      if (parcel.items.size() < 3) continue;
      const bool is_broken = parcel.items[2].text.find("broken") != std::string::npos;
      if (is_broken && broken == nullptr) broken = &parcel;
      // Parcels behind a broken one of the same customer wait for it.
      if (broken != nullptr && broken->items[0].text == parcel.items[0].text) continue;
      packed[parcel.items[0].text] = parcel.items[1].integer;
    }
    for (const auto& [recipient, number] : packed) {
      line.ask({"SHARD.ACK", key("packing"), name_, recipient, std::to_string(number)});
    }
    if (broken != nullptr) {
      line.ask({"SHARD.NACK", key("packing"), name_, broken->items[0].text, std::to_string(broken->items[1].integer),
                "DELAY", "1000"});
    }
    return line.about(Milliseconds(200));
  }

 private:
  const std::string name_;
};

}  // namespace

void add_packing(Cast& cast) {
  cast.push_back(std::make_unique<Counter>());
  for (const char* name : {"packer-1", "packer-2", "packer-3", "packer-4"}) {
    cast.push_back(std::make_unique<Packer>(name));
  }
}

}  // namespace millrace::cli::demo
