// A channel of offers: two subscribers follow it, the third one is behind.
#include "cli/demo/actor.h"
#include "cli/demo/names.h"
#include "cli/demo/text.h"

namespace millrace::cli::demo {
namespace {

// Messages expire after this time, fetched or not, so the channel stays small.
constexpr const char* kKept = "300000";

class Publisher : public Actor {
 public:
  void prepare(Line& line) override { line.try_to({"CHAN.CREATE", key("news"), "EXPIRE", kKept}); }

  Milliseconds act(Line& line) override {
    const std::string offer = text(R"({"goods":")", line.one_of(kGoods), R"(","city":")", line.one_of(kCities),
                                   R"(","off":)", line.number(1, 12) * 5, "}");
    line.send({"CHAN.PUBLISH", key("news"), text("offer-", line.number(0, 999'999'999), "-", ++last_), offer});
    return line.pause(kNews);
  }

 private:
  int last_ = 0;
};

class Subscriber : public Actor {
 public:
  Subscriber(std::string name, std::string most, Milliseconds rests)
      : name_(std::move(name)), most_(std::move(most)), rests_(rests) {}

  void prepare(Line& line) override { line.ask({"CHAN.SUBSCRIBE", key("news"), name_}); }

  Milliseconds act(Line& line) override {
    const Reply fetched = line.ask({"CHAN.FETCH", key("news"), name_, "MAX", most_, "BLOCK", "500"});
    if (fetched.items.size() == 3 && !fetched.items[1].is_nil()) {
      line.ask({"CHAN.ACK", key("news"), name_, fetched.items[1].text});
    }
    return line.about(rests_);
  }

 private:
  const std::string name_, most_;
  const Milliseconds rests_;
};

}  // namespace

void add_news(Cast& cast) {
  cast.push_back(std::make_unique<Publisher>());
  cast.push_back(std::make_unique<Subscriber>("web", "50", Milliseconds(50)));
  cast.push_back(std::make_unique<Subscriber>("app", "50", Milliseconds(400)));
  cast.push_back(std::make_unique<Subscriber>("newsletter", "5", Milliseconds(10'000)));
}

}  // namespace millrace::cli::demo
