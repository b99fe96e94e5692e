#include <re2/re2.h>
#include <simdjson.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/filter/document.h"
#include "engine/filter/filter.h"
#include "engine/filter/filter_normal.h"
#include "engine/filter/text_order.h"

namespace millrace {

namespace {

using Element = simdjson::dom::element;

// Character classes that cover much of Unicode take long to compile, especially if case is ignored.
constexpr size_t kMostCostlyClasses = 64;

size_t costly_classes(ByteView pattern) {
  constexpr ByteView kCostly[] = {"\\p", "\\P", "\\W", "\\D", "\\S", "[^", "[:^", "-"};
  size_t count = 0;
  for (size_t i = 0; i < pattern.size(); ++i) {
    count += static_cast<size_t>(
        std::ranges::any_of(kCostly, [&](ByteView each) { return pattern.substr(i).starts_with(each); }));
  }
  const bool may_fold = pattern.find("(?") != ByteView::npos && pattern.find('i') != ByteView::npos;
  return may_fold ? 8 * count : count;
}

// The names of an object.
struct Names {
  std::vector<uint32_t> order;               // of the members, by their names; empty if there is one at most
  std::optional<std::string_view> repeated;  // the first that is there again
};

Names names_of(const simdjson::dom::object& object) {
  if (object.size() < 2) return {};
  std::vector<ByteView> names;
  names.reserve(object.size());
  for (const auto& [name, value] : object) names.push_back(name);
  Names found = {text_order(names), std::nullopt};
  const auto is_same = [&](uint32_t a, uint32_t b) { return names[a] == names[b]; };
  if (std::ranges::adjacent_find(found.order, is_same) == found.order.end()) return found;
  std::set<std::string_view> seen;
  for (const ByteView name : names) {
    if (seen.insert(name).second) continue;
    found.repeated = name;
    break;
  }
  return found;
}

// No exceptions: the first error latches, and all functions return.
class FilterParser {
 public:
  explicit FilterParser(FilterLimits limits) : limits_(limits) {}

  Result<WrittenFilter> parse(ByteView json) {
    if (json.size() > limits_.bytes) {
      return refuse("the filter has " + std::to_string(json.size()) + " bytes, expected " +
                    std::to_string(limits_.bytes) + " at most");
    }
    if (json.empty()) json = "";  // an empty view may be null, and the library copies from its address
    simdjson::dom::parser parser(limits_.bytes);
    // Deeper than our limit, so that our own error, with the path, is returned.
    const auto allocated = parser.allocate(std::max<size_t>(json.size(), 64), 2 * limits_.depth + 64);
    Element root;
    if (const auto error =
            allocated != simdjson::SUCCESS ? allocated : parser.parse(json.data(), json.size()).get(root)) {
      return refuse(why_not_json(error));
    }
    Filter filter = parse_object(root, 1);
    if (error_) return std::unexpected(*error_);
    return normal_form(std::move(filter), json.size());
  }

 private:
  std::unexpected<Error> refuse(std::string what) {
    if (!path_.empty()) what = short_path() + ": " + what;
    // The text goes to a client as one line.
    std::ranges::replace_if(
        what, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    if (!error_) error_ = Error{ErrorCode::BadFilter, std::move(what)};
    return std::unexpected(*error_);
  }
  Filter refused(std::string what) {
    static_cast<void>(refuse(std::move(what)));
    return {};
  }

  std::string short_path() const {
    constexpr size_t kLongest = 200;
    if (path_.size() <= kLongest) return path_;
    size_t end = kLongest;
    while ((path_[end] & 0xc0) == 0x80) --end;  // not inside a character
    return path_.substr(0, end) + "...";
  }

  // Adds one step to the path while this object exists.
  class Step {
   public:
    Step(std::string& path, std::string_view name) : path_(path), length_(path.size()) {
      if (!path.empty() && !name.starts_with('[')) path += '.';
      path += name;
    }
    ~Step() { path_.resize(length_); }

   private:
    std::string& path_;
    size_t length_;
  };

  // A list of one part is that part.
  static Filter combined(Filter::Kind kind, std::vector<Filter> parts) {
    if (parts.size() == 1) return std::move(parts.front());
    Filter filter;
    filter.kind = kind;
    filter.parts = std::move(parts);
    return filter;
  }

  // Not with a list in braces, which would copy the part.
  static Filter negated(Filter part) {
    Filter filter;
    filter.kind = Filter::Kind::Not;
    filter.parts.push_back(std::move(part));
    return filter;
  }

  // Several fields or operators in one object are a conjunction.
  Filter parse_object(Element element, size_t depth) {
    simdjson::dom::object object;
    if (element.get(object) != simdjson::SUCCESS) return refused("expected an object");
    if (depth > limits_.depth) return refused("nested deeper than " + std::to_string(limits_.depth));
    Names names = names_of(object);
    std::vector<Filter> parts;
    parts.reserve(object.size());
    std::string_view seen;
    for (const auto& [key, value] : object) {
      const Step step(path_, key);
      if (names.repeated == key && !std::exchange(seen, key).empty()) return refused("is there twice");
      parts.push_back(parse_member(key, value, depth));
      if (error_) return {};
    }
    // Their texts will be in this order, or nearly.
    reorder(parts, std::move(names.order));
    return combined(Filter::Kind::And, std::move(parts));
  }

  Filter parse_member(std::string_view key, Element value, size_t depth) {
    // Without $ it may be a field, unless its value is an array: a field cannot be compared with an array.
    const bool is_list = value.is_array();
    if (key == "$and" || (key == "and" && is_list)) return parse_list(Filter::Kind::And, value, depth);
    if (key == "$or" || (key == "or" && is_list)) return parse_list(Filter::Kind::Or, value, depth);
    if (key == "$not") return negated(parse_object(value, depth + 1));
    if (key.starts_with('$')) return refused("unknown operator");
    if (key.empty()) return refused("a field without a name");
    if (std::ranges::count(key, '.') >= static_cast<ptrdiff_t>(limits_.path_names)) {
      return refused("a path of more than " + std::to_string(limits_.path_names) + " names");
    }
    return parse_field(key, value, depth);
  }

  Filter parse_list(Filter::Kind kind, Element element, size_t depth) {
    simdjson::dom::array array;
    if (element.get(array) != simdjson::SUCCESS || array.size() == 0) {
      return refused("expected an array of filters, at least one");
    }
    std::vector<Filter> parts;
    parts.reserve(array.size());
    for (Element part : array) {
      const Step step(path_, "[" + std::to_string(parts.size()) + "]");
      parts.push_back(parse_object(part, depth + 1));
      if (error_) return {};
    }
    return combined(kind, std::move(parts));
  }

  // A bare value means $eq.
  Filter parse_field(std::string_view field, Element value, size_t depth) {
    if (!value.is_object()) return condition(field, Operator::Eq, value);
    if (depth + 1 > limits_.depth) return refused("nested deeper than " + std::to_string(limits_.depth));
    simdjson::dom::object operators = value.get_object().value_unsafe();
    std::vector<Filter> parts;
    const Names names = names_of(operators);
    std::string_view seen;
    for (const auto& [name, operand] : operators) {
      const Step step(path_, name);
      if (names.repeated == name && !std::exchange(seen, name).empty()) return refused("is there twice");
      parts.push_back(parse_operator(field, name, operand, depth + 1));
      if (error_) return {};
    }
    if (parts.empty()) return refused("expected a value, or an object of operators");
    return combined(Filter::Kind::And, std::move(parts));
  }

  Filter parse_operator(std::string_view field, std::string_view name, Element operand, size_t depth) {
    // The spelling without $ is accepted.
    const std::string_view bare = name.starts_with('$') ? name.substr(1) : name;
    if (bare == "not") return negated(parse_field(field, operand, depth));
    for (size_t i = 0; i < std::size(kOperatorNames); ++i) {
      if (bare == kOperatorNames[i] + 1) return condition(field, static_cast<Operator>(i), operand);
    }
    return refused(name.starts_with('$') ? "unknown operator"
                                         : "unknown operator; a field inside another is written with a dot");
  }

  Filter condition(std::string_view field, Operator op, Element operand) {
    path_bytes_ += field.size();
    if (path_bytes_ > limits_.path_bytes) {
      return refused("names of fields that, said for each condition, have more than " +
                     std::to_string(limits_.path_bytes) + " bytes");
    }
    Filter filter;
    filter.kind = Filter::Kind::Condition;
    filter.field = field;
    filter.op = op;
    if (op == Operator::In || op == Operator::Nin) {
      simdjson::dom::array array;
      if (operand.get(array) != simdjson::SUCCESS) return refused("expected an array of values");
      filter.operands.reserve(array.size());
      for (Element each : array) {
        filter.operands.push_back(scalar(each, filter.operands.size()));
      }
    } else {
      filter.operands.push_back(scalar(operand));
      if (!error_) check_operand(op, filter.operands.front());
    }
    return filter;
  }

  void check_operand(Operator op, const Scalar& operand) {
    const ScalarKind kind = operand.kind;
    if (op == Operator::Exists && kind != ScalarKind::Boolean) return void(refuse("expected true or false"));
    if ((op == Operator::Gt || op == Operator::Gte || op == Operator::Lt || op == Operator::Lte) &&
        kind != ScalarKind::Number && kind != ScalarKind::String) {
      return void(refuse("expected a number or a string"));
    }
    if (op == Operator::Regex) check_regex(operand);
  }

  void check_regex(const Scalar& operand) {
    if (operand.kind != ScalarKind::String) return void(refuse("expected a regular expression as a string"));
    if (operand.text.size() > limits_.regex_bytes) {
      return void(refuse("a regular expression longer than " + std::to_string(limits_.regex_bytes) + " bytes"));
    }
    if (++regexes_ > limits_.regexes) {
      return void(refuse("more than " + std::to_string(limits_.regexes) + " regular expressions"));
    }
    if (costly_classes(operand.text) > kMostCostlyClasses) {
      return void(refuse("a regular expression with too many classes of characters"));
    }
    const re2::RE2 regex(operand.text, regex_options());
    if (!regex.ok()) refuse("no regular expression: " + regex.error());
  }

  // `at` is its index if it is in a list, for the error text.
  Scalar scalar(Element element, std::optional<size_t> at = std::nullopt) {
    Scalar value;
    switch (element.type()) {
      case simdjson::dom::element_type::NULL_VALUE:
        break;
      case simdjson::dom::element_type::BOOL:
        value.kind = ScalarKind::Boolean;
        value.boolean = element.get_bool().value_unsafe();
        break;
      case simdjson::dom::element_type::INT64:
        value.kind = ScalarKind::Number;
        value.number = Number(element.get_int64().value_unsafe());
        break;
      case simdjson::dom::element_type::UINT64:
        value.kind = ScalarKind::Number;
        value.number = Number(static_cast<double>(element.get_uint64().value_unsafe()));
        break;
      case simdjson::dom::element_type::DOUBLE:
        value.kind = ScalarKind::Number;
        value.number = Number(element.get_double().value_unsafe());
        break;
      case simdjson::dom::element_type::STRING:
        value.kind = ScalarKind::String;
        value.text = std::string(element.get_string().value_unsafe());
        break;
      default: {
        std::optional<Step> step;
        if (at) step.emplace(path_, "[" + std::to_string(*at) + "]");
        refuse("expected a string, a number, true, false or null");
      }
    }
    return value;
  }

  FilterLimits limits_;
  std::string path_;
  size_t path_bytes_ = 0;
  size_t regexes_ = 0;
  std::optional<Error> error_;
};

}  // namespace

Result<WrittenFilter> parse_and_write_filter(ByteView json, FilterLimits limits) {
  return FilterParser(limits).parse(json);
}

Result<Filter> parse_filter(ByteView json, FilterLimits limits) {
  auto parsed = parse_and_write_filter(json, limits);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  return std::move(parsed->filter);
}

}  // namespace millrace
