// The requests that an index takes, as plain values. The views are borrowed from the words of the request.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/index/index_schema.h"

namespace millrace {

struct CreateIndexRequest {
  std::string prefix;
  bool is_json = false;
  std::vector<IndexField> fields;
  std::vector<CompositeOrder> orders;
};

struct AlterIndexRequest {
  enum class Kind : uint8_t { AddField, DropField, AddOrder, DropOrder };
  Kind kind = Kind::AddField;
  IndexField field;      // to add
  CompositeOrder order;  // to add
  ByteView name;         // to drop
};

// One of the conditions that a document must meet.
struct FieldCondition {
  enum class Operator : uint8_t { Equal, Less, AtMost, Greater, AtLeast, Between, Prefix, In };
  ByteView field;
  Operator relation = Operator::Equal;
  std::vector<ByteView> operands;  // one; two for Between; one or more for In
};

// The most conditions of one request.
inline constexpr size_t kMostConditions = 32;

struct FindRequest {
  std::vector<FieldCondition> where;
  std::optional<ByteView> order;  // a field or a composite order
  bool is_reversed = false;
  uint64_t limit = 100;
  std::optional<ByteView> after;  // a cursor
  std::vector<ByteView> get;      // fields of the documents to return
  bool with_values = false;
};

struct CountRequest {
  std::vector<FieldCondition> where;
};

struct SampleRequest {
  uint64_t count = 1;
  std::vector<FieldCondition> where;
};

struct CompleteRequest {
  ByteView field;
  ByteView prefix;
  uint64_t limit = 10;
  bool with_counts = false;
};

struct PutDocumentRequest {
  ByteView key;
  std::span<const ByteView> pairs;  // field, value, field, value, …
};

struct CheckIndexRequest {
  bool repairs = false;
};

}  // namespace millrace
