// What an index covers: a prefix of keys, the fields, and orders of several fields.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/error.h"
#include "engine/index/index_ids.h"

namespace millrace {

enum class FieldType : uint8_t { Integer, Number, Text };  // Do not change: persisted.

struct IndexField {
  std::string name;  // the field of the hash; for JSON, a path of names with dots between them
  FieldType type = FieldType::Text;
  bool ignores_case = false;
  bool is_unique = false;
  std::string separator{};  // splits a value into several; empty: a single value
  OrderId id{};             // assigned by the schema
};

// An order of several fields, the first of them first.
struct CompositeOrder {
  std::string name;
  std::vector<std::string> fields;
  OrderId id{};                // assigned by the schema
  std::vector<OrderId> ids{};  // of the fields; assigned by the schema
};

class IndexSchema {
 public:
  static constexpr size_t kMostFields = 64;
  static constexpr size_t kMostOrders = 16;
  static constexpr size_t kMostOrderFields = 8;

  IndexSchema() = default;
  IndexSchema(std::string prefix, bool json) : prefix_(std::move(prefix)), is_json_(json) {}

  const std::string& prefix() const { return prefix_; }
  bool is_json() const { return is_json_; }
  const std::vector<IndexField>& fields() const { return fields_; }
  const std::vector<CompositeOrder>& orders() const { return orders_; }
  // The next id that will be assigned.
  uint32_t next_id() const { return next_id_; }

  // Null if there is none.
  const IndexField* find_field(ByteView name) const;
  const IndexField* find_field(OrderId id) const;
  const CompositeOrder* find_order(ByteView name) const;
  const CompositeOrder* find_order(OrderId id) const;

  // Each assigns an id and returns it. Failure, without any change: Exists, Full; Syntax for an invalid field, or an
  // order of fields that do not exist.
  Result<OrderId> add_field(IndexField field);
  Result<OrderId> add_order(CompositeOrder order);
  // Failure: Range if there is none; Exists if an order uses the field.
  Result<OrderId> drop_field(ByteView name);
  Result<OrderId> drop_order(ByteView name);

  // For decoders: sets the next id.
  void set_next_id(uint32_t id) { next_id_ = id; }

 private:
  // An id, and the next one, must be less than UINT32_MAX, which means none in a saved index.
  bool has_id() const { return next_id_ < UINT32_MAX - 1; }
  bool has_name(ByteView name) const { return find_field(name) != nullptr || find_order(name) != nullptr; }

  std::string prefix_;
  bool is_json_ = false;
  std::vector<IndexField> fields_;
  std::vector<CompositeOrder> orders_;
  uint32_t next_id_ = 1;
};

}  // namespace millrace
