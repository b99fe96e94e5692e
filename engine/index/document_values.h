// What an index takes from one document: the keys of its fields, and the values that did not fit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/strong.h"
#include "engine/index/index_ids.h"
#include "engine/index/index_schema.h"

namespace millrace {

// The longest text that is indexed.
inline constexpr size_t kMaxIndexedText = 1024;
// The longest text that is split into many values.
inline constexpr size_t kMaxSplitText = 1024 * 1024;
// The most values of one field, and the most combinations of a composite order, that one document may have.
inline constexpr size_t kMaxValuesOfField = 1000;
// The most parts of a split text, and elements of JSON arrays, that are looked at for one field. Some of them may be
// equal.
inline constexpr size_t kMaxPartsOfField = 10 * kMaxValuesOfField;

// Why a value is not in the index. Do not change: persisted.
enum class SkipReason : uint8_t { NotAnInteger, NotANumber, TooLong, TooMany, NotJson, TooLarge };
inline constexpr uint8_t kSkipReasons = 6;
const char* text_of(SkipReason reason);

// One value of one field, as a key (index_keys.h).
struct DocumentValue {
  OrderId field;
  std::string key;

  friend auto operator<=>(const DocumentValue&, const DocumentValue&) = default;
};

struct SkippedValue {
  OrderId field;  // kExpiryOrder: the whole document
  SkipReason reason;

  friend auto operator<=>(const SkippedValue&, const SkippedValue&) = default;
};

struct DocumentValues {
  std::vector<DocumentValue> values;  // sorted, without duplicates
  std::vector<SkippedValue> skipped;  // sorted
  std::optional<UnixMs> expires_at;

  void clear();
  // Adds the value of a field: text of a hash, or a string of JSON. Splits it if the field has a separator.
  void add(const IndexField& field, ByteView text);
  void add(const IndexField& field, int64_t whole);
  void add(const IndexField& field, double number);
  void skip(OrderId field, SkipReason reason) { skipped.push_back({field, reason}); }
  // Sorts the values; called after the last add().
  void finish();

 private:
  void add_one(const IndexField& field, ByteView text);
};

// Appends one value of a condition or a document as a key. If it does not fit, appends nothing and returns the reason.
std::optional<SkipReason> append_key(std::string& to, const IndexField& field, ByteView text);
// Removes a key from the front of the bytes, and returns its value as text. REQUIRES: a key of this field
std::string take_value(const IndexField& field, ByteView& bytes);

}  // namespace millrace
