#include "module/index/index_requests.h"

#include <algorithm>

#include "engine/index/index_parts.h"
#include "engine/index/index_query.h"
#include "module/words/part_words.h"

namespace millrace::module {

namespace {

// The largest number of values of IN, and of fields of GET.
constexpr uint64_t kMostOperands = 1000;
constexpr uint64_t kMostFieldsShown = 1000;

IndexField read_index_field(ArgumentReader& reader) {
  IndexField field;
  field.name = reader.name("field", kMaxNameBytes);
  if (reader.keyword("INTEGER")) {
    field.type = FieldType::Integer;
  } else if (reader.keyword("NUMBER")) {
    field.type = FieldType::Number;
  } else if (!reader.keyword("TEXT")) {
    reader.unknown_word("INTEGER, NUMBER or TEXT");
  }
  bool many = false;
  while (!reader.at_end()) {
    if (reader.option("NOCASE", field.ignores_case) || reader.option("UNIQUE", field.is_unique)) continue;
    if (!reader.option("MANY", many)) break;
    field.separator = reader.name("separator", kMaxNameBytes);
  }
  return field;
}

CompositeOrder read_composite_order(ArgumentReader& reader) {
  CompositeOrder order;
  order.name = reader.name("order", kMaxNameBytes);
  const uint64_t count = reader.number("number of fields", 2, IndexSchema::kMostOrderFields);
  for (uint64_t i = 0; i < count && !reader.failed(); ++i) {
    order.fields.emplace_back(reader.name("field", kMaxNameBytes));
  }
  return order;
}

FieldCondition read_condition(ArgumentReader& reader) {
  using enum FieldCondition::Operator;
  static constexpr struct {
    const char* word;
    FieldCondition::Operator relation;
  } kRelations[] = {{"=", Equal},    {"<", Less},          {"<=", AtMost},     {">", Greater},
                    {">=", AtLeast}, {"BETWEEN", Between}, {"PREFIX", Prefix}, {"IN", In}};
  FieldCondition condition;
  condition.field = reader.word("field");
  const auto* known = std::ranges::find_if(kRelations, [&](const auto& each) { return reader.keyword(each.word); });
  if (known == std::end(kRelations)) {
    reader.unknown_word("=, <, <=, >, >=, BETWEEN, PREFIX or IN");
    return condition;
  }
  condition.relation = known->relation;
  uint64_t operands = condition.relation == Between ? 2 : 1;
  if (condition.relation == In) operands = reader.number("number of values", 1, kMostOperands);
  for (uint64_t i = 0; i < operands && !reader.failed(); ++i) condition.operands.push_back(reader.word("value"));
  return condition;
}

// Parses a condition if the next word is WHERE.
bool read_where(ArgumentReader& reader, std::vector<FieldCondition>& where) {
  if (!reader.keyword("WHERE")) return false;
  if (where.size() == kMostConditions) reader.fail(ErrorCode::Range, "more than 32 conditions");
  where.push_back(read_condition(reader));
  return true;
}

Result<uint64_t> read_list_count(Words words) {
  ArgumentReader reader(words);
  uint64_t count = 100;
  if (!reader.at_end()) {
    if (reader.keyword("COUNT")) {
      count = reader.number("COUNT", 1, kMaxReadCount);
    } else {
      reader.unknown_word("COUNT");
    }
  }
  return reader.finish(count);
}

}  // namespace

Result<CreateIndexRequest> parse_idx_create(Words words) {
  ArgumentReader reader(words);
  CreateIndexRequest request;
  if (!reader.keyword("PREFIX")) reader.unknown_word("PREFIX");
  request.prefix = reader.word("prefix");
  if (request.prefix.size() > kMaxNameBytes) {
    reader.fail(ErrorCode::Range,
                "the prefix has " + std::to_string(request.prefix.size()) + " bytes, expected at most 512");
  }
  request.is_json = reader.keyword("JSON");
  do {
    if (reader.keyword("FIELD")) {
      request.fields.push_back(read_index_field(reader));
    } else if (!request.fields.empty() && reader.keyword("ORDER")) {
      request.orders.push_back(read_composite_order(reader));
    } else {
      reader.unknown_word(request.fields.empty() ? "FIELD" : "FIELD or ORDER");
    }
  } while (!reader.at_end());
  return reader.finish(std::move(request));
}

Result<AlterIndexRequest> parse_idx_alter(Words words) {
  using Kind = AlterIndexRequest::Kind;
  ArgumentReader reader(words);
  AlterIndexRequest request;
  const bool adds = reader.keyword("ADD");
  if (!adds && !reader.keyword("DROP")) reader.unknown_word("ADD or DROP");
  if (reader.keyword("FIELD")) {
    request.kind = adds ? Kind::AddField : Kind::DropField;
    adds ? void(request.field = read_index_field(reader)) : void(request.name = reader.word("field"));
  } else if (reader.keyword("ORDER")) {
    request.kind = adds ? Kind::AddOrder : Kind::DropOrder;
    adds ? void(request.order = read_composite_order(reader)) : void(request.name = reader.word("order"));
  } else {
    reader.unknown_word("FIELD or ORDER");
  }
  return reader.finish(std::move(request));
}

Result<FindRequest> parse_idx_find(Words words) {
  ArgumentReader reader(words);
  FindRequest request;
  bool order = false;
  bool limit = false;
  bool after = false;
  bool get = false;
  while (!reader.at_end()) {
    if (read_where(reader, request.where)) continue;
    if (reader.option("ORDER", order)) {
      request.order = reader.word("order");
    } else if (reader.option("REV", request.is_reversed) || reader.option("WITHVALUES", request.with_values)) {
      continue;
    } else if (reader.option("LIMIT", limit)) {
      request.limit = reader.number("LIMIT", 1, kMostLookedAt);
    } else if (reader.option("AFTER", after)) {
      request.after = reader.word("cursor");
    } else if (reader.option("GET", get)) {
      const uint64_t count = reader.number("number of fields", 1, kMostFieldsShown);
      for (uint64_t i = 0; i < count && !reader.failed(); ++i) request.get.push_back(reader.word("field"));
    } else {
      reader.unknown_word("WHERE, ORDER, REV, LIMIT, AFTER, GET or WITHVALUES");
    }
  }
  return reader.finish(std::move(request));
}

Result<CountRequest> parse_idx_count(Words words) {
  ArgumentReader reader(words);
  CountRequest request;
  while (!reader.at_end()) {
    if (!read_where(reader, request.where)) reader.unknown_word("WHERE");
  }
  return reader.finish(std::move(request));
}

Result<SampleRequest> parse_idx_sample(Words words) {
  ArgumentReader reader(words);
  SampleRequest request;
  if (!reader.at_end() && !read_where(reader, request.where)) request.count = reader.number("count", 1, kMostLookedAt);
  while (!reader.at_end()) {
    if (!read_where(reader, request.where)) reader.unknown_word("WHERE");
  }
  return reader.finish(std::move(request));
}

Result<uint64_t> parse_idx_recent(Words words) {
  ArgumentReader reader(words);
  return reader.finish(reader.at_end() ? 10 : reader.number("count", 1, RecentDocuments::kMost));
}

Result<CompleteRequest> parse_idx_complete(Words words) {
  ArgumentReader reader(words);
  CompleteRequest request;
  request.field = reader.word("field");
  request.prefix = reader.word("prefix");
  bool limit = false;
  while (!reader.at_end()) {
    if (reader.option("LIMIT", limit)) {
      request.limit = reader.number("LIMIT", 1, kMostLookedAt);
    } else if (!reader.option("WITHCOUNTS", request.with_counts)) {
      reader.unknown_word("LIMIT or WITHCOUNTS");
    }
  }
  return reader.finish(request);
}

Result<PutDocumentRequest> parse_idx_put(Words words) {
  ArgumentReader reader(words);
  PutDocumentRequest request;
  request.key = reader.word("key");
  do {
    reader.word("field");
    reader.word("value");
  } while (!reader.at_end());
  if (!reader.failed()) request.pairs = words.subspan(1);
  return reader.finish(request);
}

Result<uint64_t> parse_idx_conflicts(Words words) { return read_list_count(words); }
Result<uint64_t> parse_idx_skipped(Words words) { return read_list_count(words); }

Result<CheckIndexRequest> parse_idx_check(Words words) {
  ArgumentReader reader(words);
  CheckIndexRequest request;
  if (!reader.at_end() && !reader.option("REPAIR", request.repairs)) reader.unknown_word("REPAIR");
  return reader.finish(request);
}

Result<Part> parse_idx_apply(Words words) {
  ArgumentReader reader(words);
  const auto part = read_part(reader, kIndexParts);
  if (!part) {
    reader.unknown_word("SCHEMA, DOCUMENTS, LINES, SKIPPED or RECENT");
    return reader.error();
  }
  return reader.finish(*part);
}

}  // namespace millrace::module
