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
#include "engine/filter/text_order.h"

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
// for a field; otherwise nullopt.
std::optional<std::vector<const Filter*>> members_of_one_object(const std::vector<Filter>& parts) {
  std::vector<const Filter*> members;
  members.reserve(parts.size());
  for (const Filter& part : parts) {
    if (part.kind != Kind::Condition) return std::nullopt;
    members.push_back(&part);
  }
  // They are nearly always sorted already, because the texts begin with the field.
  const auto is_not_before = [](const Filter* a, const Filter* b) { return !is_before(a, b); };
  const auto is_ascending = [&] { return std::ranges::adjacent_find(members, is_not_before) == members.end(); };
  if (is_ascending()) return members;
  std::ranges::sort(members, is_before);
  if (!is_ascending()) return std::nullopt;
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

// As JSON. append_part(to, i) appends the JSON of part number i.
template <class AppendPart>
void append_parts(std::string& to, const Filter& filter, AppendPart append_part) {
  if (filter.kind == Kind::Condition) {
    const Filter* const member = &filter;
    return append_conditions(to, std::span(&member, 1));
  }
  if (filter.kind == Kind::Not) {
    to += "{\"$not\":";
    append_part(to, 0);
    to += '}';
    return;
  }
  if (filter.kind == Kind::And) {
    if (const auto members = members_of_one_object(filter.parts)) return append_conditions(to, *members);
  }
  to += filter.kind == Kind::And ? "{\"$and\":[" : "{\"$or\":[";
  for (size_t i = 0; i < filter.parts.size(); ++i) {
    if (i > 0) to += ',';
    append_part(to, i);
  }
  to += "]}";
}

void append_filter(std::string& to, const Filter& filter) {
  append_parts(to, filter, [&](std::string& into, size_t part) { append_filter(into, filter.parts[part]); });
}

// Brings a filter into its normal form, in its place. A list has thousands of parts, so they are neither copied nor do
// they have strings of their own: all texts are in one, that of a part before that of the filter it belongs to. No text
// is written twice, however deep the filter is.
class Normalizer {
 public:
  // Most filters need no more than this: each condition is written once by itself and once in a list.
  explicit Normalizer(size_t bytes) { texts_.reserve(4 * bytes); }

  WrittenFilter normal_form(Filter filter) {
    const Text root = normalize(filter);
    texts_.resize(root.begin + root.size);
    texts_.erase(0, root.begin);
    return {std::move(filter), std::move(texts_)};
  }

 private:
  // Where the text of a filter is, and those of its parts.
  struct Text {
    size_t begin = 0;
    size_t size = 0;
    std::vector<Text> parts;
  };

  ByteView view(const Text& text) const { return ByteView(texts_).substr(text.begin, text.size); }

  // Writes the filter, whose parts are written.
  Text write(const Filter& filter, std::vector<Text> parts = {}) {
    const size_t begin = texts_.size();
    append_parts(texts_, filter,
                 [&](std::string& to, size_t part) { to.append(to, parts[part].begin, parts[part].size); });
    return {begin, texts_.size() - begin, std::move(parts)};
  }

  Text normalize(Filter& filter) {
    if (filter.kind == Kind::Condition) {
      filter = normal_condition(std::move(filter));
      if (filter.kind == Kind::Condition) return write(filter);
    }
    return filter.kind == Kind::Not ? normalize_negation(filter) : normalize_list(filter);
  }

  Text normalize_negation(Filter& filter) {
    Filter& part = filter.parts.front();
    std::vector<Text> text;
    text.push_back(normalize(part));
    if (part.kind != Kind::Not) return write(filter, std::move(text));
    filter = Filter(std::move(part.parts.front()));
    return Text(std::move(text.front().parts.front()));
  }

  Text normalize_list(Filter& filter) {
    std::vector<Text> texts = normalize_parts(filter);
    sort(filter.parts, texts);
    const auto matches_everything = [](const Filter& part) { return part.kind == Kind::And && part.parts.empty(); };
    if (filter.kind == Kind::Or && std::ranges::any_of(filter.parts, matches_everything)) {
      filter = Filter();
      return write(filter);
    }
    if (filter.parts.size() != 1) return write(filter, std::move(texts));
    filter = Filter(std::move(filter.parts.front()));
    return Text(std::move(texts.front()));
  }

  // Nested parts of the same kind are flattened.
  std::vector<Text> normalize_parts(Filter& filter) {
    std::vector<Text> texts;
    texts.reserve(filter.parts.size());
    bool is_nested = false;
    for (Filter& part : filter.parts) {
      texts.push_back(normalize(part));
      is_nested |= part.kind == filter.kind;
    }
    if (!is_nested) return texts;
    std::vector<Filter> flat_parts;
    std::vector<Text> flat_texts;
    for (size_t i = 0; i < texts.size(); ++i) {
      Filter& part = filter.parts[i];
      if (part.kind == filter.kind) {
        std::ranges::move(part.parts, std::back_inserter(flat_parts));
        std::ranges::move(texts[i].parts, std::back_inserter(flat_texts));
      } else {
        flat_parts.push_back(std::move(part));
        flat_texts.push_back(std::move(texts[i]));
      }
    }
    filter.parts = std::move(flat_parts);
    return flat_texts;
  }

  // By their texts, each once.
  void sort(std::vector<Filter>& parts, std::vector<Text>& texts) const {
    if (parts.size() < 2) return;
    std::vector<ByteView> views;
    views.reserve(texts.size());
    for (const Text& text : texts) views.push_back(view(text));
    std::vector<uint32_t> order = text_order(views);
    reorder(parts, order);
    reorder(texts, std::move(order));
    size_t kept = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (kept > 0 && view(texts[kept - 1]) == view(texts[i])) continue;
      if (kept != i) {
        parts[kept] = std::move(parts[i]);
        texts[kept] = std::move(texts[i]);
      }
      ++kept;
    }
    parts.erase(parts.begin() + static_cast<ptrdiff_t>(kept), parts.end());
    texts.erase(texts.begin() + static_cast<ptrdiff_t>(kept), texts.end());
  }

  std::string texts_;
};

}  // namespace

WrittenFilter normal_form(Filter filter, size_t bytes) { return Normalizer(bytes).normal_form(std::move(filter)); }

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
