#include "engine/fact/fact_parts.h"

#include <algorithm>
#include <bitset>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/decoder.h"

namespace millrace {

namespace {

// Do not change: persisted.
constexpr uint64_t kVersion = 1;
// A part is closed when it is longer.
constexpr size_t kPartBytes = 16 * 1024;

// Which names were written.
class SeenNames {
 public:
  // True if it was not seen before.
  bool add(FactName name) {
    auto bit = pages_[name.value() / kPage][name.value() % kPage];
    if (bit) return false;
    bit = true;
    return true;
  }

 private:
  static constexpr uint32_t kPage = 1024;
  std::unordered_map<uint32_t, std::bitset<kPage>> pages_;
};

// A decoded part that is not validated yet.
class DecodedFacts {
 public:
  explicit DecodedFacts(const FactGraph& graph) : graph_(graph) {}

  Result<void> decode(ByteView bytes) {
    Decoder in(bytes);
    if (in.number() != kVersion) return corrupt("facts of a version this module does not know");
    const uint64_t next_number = in.number();
    if (!in.ok() || next_number >= FactName::none().value()) {
      return corrupt("facts without the number of the next name");
    }
    next = FactName(static_cast<uint32_t>(next_number));
    uint64_t subject = 0;
    do {
      Fact fact;
      subject += in.number();
      if (!read_name(in, subject, fact.subject) || !read_name(in, in.number(), fact.predicate) ||
          !read_name(in, in.number(), fact.object)) {
        return corrupt("a fact of the wrong length");
      }
      if (!facts.empty() && facts.back() >= fact) return corrupt("facts out of order");
      if (graph_.contains(fact)) return corrupt("a fact that is there already");
      facts.push_back(fact);
    } while (!in.finished());
    if (facts.size() > kMaxFacts - graph_.size()) return corrupt("more facts than a graph can have");
    return check_new_names();
  }

  FactName next;
  std::vector<Fact> facts;
  std::map<FactName, ByteView> names;  // names in this part

 private:
  bool read_name(Decoder& in, uint64_t number, FactName& name) {
    if (!in.ok() || number >= FactName::none().value()) return false;
    name = FactName(static_cast<uint32_t>(number));
    if (names.contains(name) || graph_.names().contains(name)) return true;
    const ByteView text = in.bytes(in.number());
    if (!in.ok() || text.empty() || text.size() > kMaxFactName) return false;
    names.emplace(name, text);
    return true;
  }

  Result<void> check_new_names() const {
    std::vector<ByteView> texts;
    texts.reserve(names.size());
    for (const auto& [name, text] : names) {
      if (graph_.names().find(text).is_some()) return corrupt("a name that has two numbers");
      texts.push_back(text);
    }
    std::ranges::sort(texts);
    if (std::ranges::adjacent_find(texts) != texts.end()) return corrupt("a name that has two numbers");
    return {};
  }

  const FactGraph& graph_;
};

}  // namespace

void each_part(const FactGraph& graph, const PartVisit& visit) {
  SeenNames seen;
  std::string bytes;
  uint32_t subject = 0;
  const auto append_name = [&](FactName name, uint32_t number) {
    append_varint(bytes, number);
    if (!seen.add(name)) return;
    const ByteView text = graph.names().text(name);
    append_varint(bytes, text.size());
    bytes += text;
  };
  graph.each({}, nullptr, [&](const Fact& fact) {
    if (bytes.empty()) {
      append_varint(bytes, kVersion);
      append_varint(bytes, graph.names().next().value());
      subject = 0;
    }
    append_name(fact.subject, fact.subject.value() - subject);
    append_name(fact.predicate, fact.predicate.value());
    append_name(fact.object, fact.object.value());
    subject = fact.subject.value();
    if (bytes.size() > kPartBytes) {
      visit({number_of(FactPart::Facts), bytes, {}});
      bytes.clear();
    }
    return true;
  });
  if (!bytes.empty()) visit({number_of(FactPart::Facts), bytes, {}});
}

Result<FactGraph> FactRestorer::finish() {
  if (graph_.empty()) return corrupt("a graph without facts");
  return std::move(graph_);
}

Result<void> restore_part(FactGraph& graph, FactPart part, ByteView bytes) {
  if (part != FactPart::Facts) return corrupt("a part of a graph that this module does not know");
  DecodedFacts decoded(graph);
  if (auto done = decoded.decode(bytes); !done) return done;
  for (const Fact& fact : decoded.facts) {
    for (FactName name : {fact.subject, fact.predicate, fact.object}) {
      graph.names().contains(name) ? graph.use_name(name) : graph.restore_name(name, decoded.names.at(name));
    }
    graph.restore(fact);
  }
  graph.set_next_name(decoded.next);
  return {};
}

}  // namespace millrace
