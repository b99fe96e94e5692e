#include "engine/filter/filter_normal.h"

#include <sodium/crypto_generichash.h>

#include <algorithm>
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

// Operands of $in and $nin: sorted, each once; one alone is $eq or $ne, and nothing is in nothing.
Filter normal_condition(Filter filter) {
  if (filter.op != Operator::In && filter.op != Operator::Nin) return filter;
  auto& operands = filter.operands;
  std::ranges::sort(operands, ScalarOrder());
  const auto same = [](const ScalarView& a, const ScalarView& b) { return a == b; };
  operands.erase(std::unique(operands.begin(), operands.end(), same), operands.end());
  if (operands.size() == 1) filter.op = filter.op == Operator::In ? Operator::Eq : Operator::Ne;
  return operands.empty() && filter.op == Operator::In ? none_at_all() : filter;
}

// Parts of parts of the same kind are parts.
void flatten(Filter& filter) {
  std::vector<Filter> flat;
  for (Filter& part : filter.parts) {
    part = normal_form(std::move(part));
    if (part.kind == filter.kind) {
      std::ranges::move(part.parts, std::back_inserter(flat));
    } else {
      flat.push_back(std::move(part));
    }
  }
  filter.parts = std::move(flat);
}

void sort_parts(Filter& filter) {
  std::vector<std::pair<std::string, size_t>> sorted;
  sorted.reserve(filter.parts.size());
  for (size_t i = 0; i < filter.parts.size(); ++i) sorted.emplace_back(filter_json(filter.parts[i]), i);
  std::ranges::sort(sorted);
  const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
  sorted.erase(std::unique(sorted.begin(), sorted.end(), same), sorted.end());
  std::vector<Filter> parts;
  parts.reserve(sorted.size());
  for (const auto& [text, at] : sorted) parts.push_back(std::move(filter.parts[at]));
  filter.parts = std::move(parts);
}

bool matches_everything(const Filter& filter) { return filter.kind == Kind::And && filter.parts.empty(); }

}  // namespace

Filter normal_form(Filter filter) {
  switch (filter.kind) {
    case Kind::Condition:
      return normal_condition(std::move(filter));
    case Kind::Not: {
      Filter part = normal_form(std::move(filter.parts.front()));
      if (part.kind == Kind::Not) return std::move(part.parts.front());
      filter.parts.front() = std::move(part);
      return filter;
    }
    case Kind::And:
    case Kind::Or:
      break;
  }
  flatten(filter);
  if (filter.kind == Kind::And) {
    std::erase_if(filter.parts, matches_everything);
  } else if (std::ranges::any_of(filter.parts, matches_everything)) {
    return {};
  }
  sort_parts(filter);
  if (filter.parts.size() == 1) return Filter(std::move(filter.parts.front()));
  return filter;
}

namespace {

void append_filter(std::string& to, const Filter& filter);

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

bool is_before(const Filter* a, const Filter* b) { return a->field != b->field ? a->field < b->field : a->op < b->op; }

// The parts by field and operator, if they are conditions that can be members of one object: no operator twice for a
// field. Nothing if they are not.
std::optional<std::vector<const Filter*>> members_of_one_object(const std::vector<Filter>& parts) {
  std::vector<const Filter*> members;
  members.reserve(parts.size());
  for (const Filter& part : parts) {
    if (part.kind != Kind::Condition) return std::nullopt;
    members.push_back(&part);
  }
  std::ranges::sort(members, is_before);
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

void append_list(std::string& to, const char* name, const std::vector<Filter>& parts) {
  to += '{';
  append_json_string(to, name);
  to += ":[";
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) to += ',';
    append_filter(to, parts[i]);
  }
  to += "]}";
}

void append_filter(std::string& to, const Filter& filter) {
  switch (filter.kind) {
    case Kind::Condition: {
      const Filter* const member = &filter;
      return append_conditions(to, std::span(&member, 1));
    }
    case Kind::Not:
      to += "{\"$not\":";
      append_filter(to, filter.parts.front());
      to += '}';
      return;
    case Kind::Or:
      return append_list(to, "$or", filter.parts);
    case Kind::And:
      if (const auto members = members_of_one_object(filter.parts)) return append_conditions(to, *members);
      return append_list(to, "$and", filter.parts);
  }
}

}  // namespace

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
