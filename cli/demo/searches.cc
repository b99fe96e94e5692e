// Searches of customers become suggestions; old searches count less.
#include "cli/demo/actor.h"
#include "cli/demo/names.h"

namespace millrace::cli::demo {
namespace {

constexpr std::string_view kKinds[] = {"red", "small", "oak", "cheap", "old", "round", "black", "garden"};

class Searches : public Actor {
 public:
  void prepare(Line&) override {}

  Milliseconds act(Line& line) override {
    const std::string kind(line.one_of(kKinds));
    line.send({"SUG.ADD", key("searches"), kind + ' ' + std::string(line.one_of(kGoods)), "INCR", "1"});
    if (line.once_in(2)) line.ask({"SUG.GET", key("searches"), kind.substr(0, 2), "LIMIT", "5", "FUZZY"});
    if (line.once_in(200)) line.ask({"SUG.DECAY", key("searches"), "10"});
    return line.pause(kSearches);
  }
};

}  // namespace

void add_searches(Cast& cast) { cast.push_back(std::make_unique<Searches>()); }

}  // namespace millrace::cli::demo
