#include "engine/filter/filter_normal.h"

#include <sodium/crypto_generichash.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/json_text.h"
#include "engine/filter/scalar_json.h"

namespace millrace {

namespace {

using Kind = Filter::Kind;

Filter none_at_all() {
  Filter filter;
  filter.kind = Kind::Not;
  filter.parts.emplace_back();
  return filter;
}

// Operands of $in and $nin: sorted, each once. A single one becomes $eq or $ne, and an empty $in matches nothing.
Filter normal_condition(Filter filter) {
  if (filter.op != Operator::In && filter.op != Operator::Nin) return filter;
  auto& operands = filter.operands;
  if (!std::ranges::is_sorted(operands, ScalarOrder())) std::ranges::sort(operands, ScalarOrder());
  const auto same = [](const ScalarView& a, const ScalarView& b) { return a == b; };
  operands.erase(std::unique(operands.begin(), operands.end(), same), operands.end());
  if (operands.size() == 1) filter.op = filter.op == Operator::In ? Operator::Eq : Operator::Ne;
  if (operands.empty() && filter.op == Operator::In) return none_at_all();
  return filter;
}

void append_operator(std::string& to, const Filter& condition) {
  append_json_string(to, kOperatorNames[static_cast<size_t>(condition.op)]);
  to += ':';
  const bool is_list = condition.op == Operator::In || condition.op == Operator::Nin;
  if (is_list) to += '[';
  for (size_t i = 0; i < condition.operands.size(); ++i) {
    if (i > 0) to += ',';
    append_json(to, condition.operands[i]);
  }
  if (is_list) to += ']';
}

bool is_before(const Filter* a, const Filter* b) {
  const int compared = a->field.compare(b->field);
  return compared != 0 ? compared < 0 : a->op < b->op;
}

// The parts by field and operator, if all are conditions that can be members of one object, without a repeated operator
// for a field; otherwise nullopt. `filter_of` returns the filter of a part.
template <class Parts, class FilterOf>
std::optional<std::vector<const Filter*>> members_of_one_object(const Parts& parts, FilterOf filter_of) {
  std::vector<const Filter*> members;
  members.reserve(parts.size());
  for (const auto& part : parts) {
    const Filter& filter = filter_of(part);
    if (filter.kind != Kind::Condition) return std::nullopt;
    members.push_back(&filter);
  }
  // They are nearly always sorted already, because the texts begin with the field.
  if (!std::ranges::is_sorted(members, is_before)) std::ranges::sort(members, is_before);
  const auto is_same = [](const Filter* a, const Filter* b) { return !is_before(a, b); };
  if (std::ranges::adjacent_find(members, is_same) != members.end()) return std::nullopt;
  return members;
}

// {"age":{"$gte":18,"$lt":65},"priority":{"$eq":"high"}}
void append_conditions(std::string& to, std::span<const Filter* const> members) {
  to += '{';
  for (size_t i = 0; i < members.size(); ++i) {
    const bool is_new_field = i == 0 || members[i]->field != members[i - 1]->field;
    if (i > 0) to += is_new_field ? "}," : ",";
    if (is_new_field) {
      append_json_string(to, members[i]->field);
      to += ":{";
    }
    append_operator(to, *members[i]);
  }
  to += members.empty() ? "}" : "}}";
}

// As JSON. `filter_of` returns the filter of a part, and append_part(to, part) appends its JSON.
template <class Parts, class FilterOf, class AppendPart>
void append_parts(std::string& to, const Filter& filter, const Parts& parts, FilterOf filter_of,
                  AppendPart append_part) {
  if (filter.kind == Kind::Condition) {
    const Filter* const member = &filter;
    return append_conditions(to, std::span(&member, 1));
  }
  if (filter.kind == Kind::Not) {
    to += "{\"$not\":";
    append_part(to, parts.front());
    to += '}';
    return;
  }
  if (filter.kind == Kind::And) {
    if (const auto members = members_of_one_object(parts, filter_of)) return append_conditions(to, *members);
  }
  to += filter.kind == Kind::And ? "{\"$and\":[" : "{\"$or\":[";
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) to += ',';
    append_part(to, parts[i]);
  }
  to += "]}";
}

void append_filter(std::string& to, const Filter& filter) {
  append_parts(
      to, filter, filter.parts, [](const Filter& part) -> const Filter& { return part; }, append_filter);
}

// A filter in its normal form while it is built, with its text, so that no text is written twice however deep the
// filter is. The parts are here, not in the filter.
struct Node {
  Filter filter;
  std::vector<Node> parts;
  std::string text;

  bool matches_everything() const { return filter.kind == Kind::And && parts.empty(); }

  void write_text() {
    append_parts(
        text, filter, parts, [](const Node& part) -> const Filter& { return part.filter; },
        [](std::string& to, const Node& part) { to += part.text; });
  }
};

Node normal_node(Filter filter);

Node leaf(Filter filter) {
  Node node;
  node.filter = std::move(filter);
  node.write_text();
  return node;
}

Node negation(Node part) {
  if (part.filter.kind == Kind::Not) return std::move(part.parts.front());
  Node node;
  node.filter.kind = Kind::Not;
  node.parts.push_back(std::move(part));
  node.write_text();
  return node;
}

// Nested parts of the same kind are flattened; each part occurs once, in the order of their texts.
std::vector<Node> normal_parts(Filter& filter) {
  std::vector<Node> parts;
  parts.reserve(filter.parts.size());
  for (Filter& given : filter.parts) {
    Node part = normal_node(std::move(given));
    if (part.filter.kind == filter.kind) {
      std::ranges::move(part.parts, std::back_inserter(parts));
    } else {
      parts.push_back(std::move(part));
    }
  }
  const auto is_less = [](const Node& a, const Node& b) { return a.text < b.text; };
  // Filters that a program has written are mostly sorted.
  if (!std::ranges::is_sorted(parts, is_less)) {
    std::vector<std::pair<ByteView, size_t>> order;
    order.reserve(parts.size());
    for (size_t i = 0; i < parts.size(); ++i) order.emplace_back(parts[i].text, i);
    std::ranges::sort(order);
    std::vector<Node> sorted;
    sorted.reserve(parts.size());
    for (const auto& [text, at] : order) sorted.push_back(std::move(parts[at]));
    parts = std::move(sorted);
  }
  const auto is_same = [](const Node& a, const Node& b) { return a.text == b.text; };
  parts.erase(std::unique(parts.begin(), parts.end(), is_same), parts.end());
  return parts;
}

Node normal_node(Filter filter) {
  if (filter.kind == Kind::Condition) {
    Filter condition = normal_condition(std::move(filter));
    return condition.kind == Kind::Not ? negation(leaf(Filter())) : leaf(std::move(condition));
  }
  if (filter.kind == Kind::Not) return negation(normal_node(std::move(filter.parts.front())));
  Node node;
  node.parts = normal_parts(filter);
  const auto matches_everything = [](const Node& part) { return part.matches_everything(); };
  if (filter.kind == Kind::Or && std::ranges::any_of(node.parts, matches_everything)) return leaf(Filter());
  if (filter.kind == Kind::And) std::erase_if(node.parts, matches_everything);
  if (node.parts.size() == 1) return Node(std::move(node.parts.front()));
  node.filter.kind = filter.kind;
  node.write_text();
  return node;
}

Filter filter_of(Node node) {
  Filter filter = std::move(node.filter);
  filter.parts.reserve(node.parts.size());
  for (Node& part : node.parts) filter.parts.push_back(filter_of(std::move(part)));
  return filter;
}

}  // namespace

WrittenFilter normal_form(Filter filter) {
  Node node = normal_node(std::move(filter));
  std::string json = std::move(node.text);
  return {filter_of(std::move(node)), std::move(json)};
}

std::string filter_json(const Filter& filter) {
  std::string text;
  append_filter(text, filter);
  return text;
}

FilterDigest filter_digest(ByteView normal_json) {
  FilterDigest digest;
  crypto_generichash(reinterpret_cast<unsigned char*>(digest.data()), digest.size(),
                     reinterpret_cast<const unsigned char*>(normal_json.data()), normal_json.size(), nullptr, 0);
  return digest;
}

}  // namespace millrace
