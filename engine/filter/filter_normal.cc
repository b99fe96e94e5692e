#include "engine/filter/filter_normal.h"

#include <sodium/crypto_generichash.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

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
  std::map<std::string, Filter> sorted;
  for (Filter& part : filter.parts) {
    std::string text = filter_json(part);
    sorted.emplace(std::move(text), std::move(part));
  }
  filter.parts.clear();
  for (auto& [text, part] : sorted) filter.parts.push_back(std::move(part));
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

// True if the parts are conditions that can be members of one object: no operator twice for
// a field.
bool fit_one_object(const std::vector<Filter>& parts) {
  std::set<std::pair<std::string_view, Operator>> seen;
  return std::ranges::all_of(parts, [&](const Filter& part) {
    return part.kind == Kind::Condition && seen.emplace(part.field, part.op).second;
  });
}

// {"age":{"$gte":18,"$lt":65},"priority":{"$eq":"high"}}
void append_conditions(std::string& to, const std::vector<Filter>& parts) {
  std::map<std::string_view, std::map<Operator, const Filter*>> fields;
  for (const Filter& part : parts) fields[part.field][part.op] = &part;
  to += '{';
  for (bool first_field = true; const auto& [field, operators] : fields) {
    if (!std::exchange(first_field, false)) to += ',';
    append_json_string(to, field);
    to += ":{";
    for (bool first = true; const auto& [op, condition] : operators) {
      if (!std::exchange(first, false)) to += ',';
      append_operator(to, *condition);
    }
    to += '}';
  }
  to += '}';
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
    case Kind::Condition:
      return append_conditions(to, {filter});
    case Kind::Not:
      to += "{\"$not\":";
      append_filter(to, filter.parts.front());
      to += '}';
      return;
    case Kind::Or:
      return append_list(to, "$or", filter.parts);
    case Kind::And:
      return fit_one_object(filter.parts) ? append_conditions(to, filter.parts) : append_list(to, "$and", filter.parts);
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
