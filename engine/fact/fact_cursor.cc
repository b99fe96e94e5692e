#include "engine/fact/fact_cursor.h"

#include <charconv>
#include <system_error>

namespace millrace {

std::string fact_cursor(const Fact& last) {
  return std::to_string(last.subject.value()) + "-" + std::to_string(last.predicate.value()) + "-" +
         std::to_string(last.object.value());
}

std::optional<Fact> parse_fact_cursor(ByteView text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  Fact fact;
  for (FactName* name : {&fact.subject, &fact.predicate, &fact.object}) {
    if (name != &fact.subject && (at == end || *at++ != '-')) return std::nullopt;
    uint32_t number = 0;
    const auto [next, problem] = std::from_chars(at, end, number);
    *name = FactName(number);
    if (problem != std::errc() || name->is_none()) return std::nullopt;
    at = next;
  }
  return at == end ? std::optional(fact) : std::nullopt;
}

}  // namespace millrace
