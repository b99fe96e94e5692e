#include "engine/index/document_record.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "engine/base/varint.h"

namespace millrace {

namespace {

constexpr uint64_t kTextCode = 15;
constexpr uint64_t kMostNumberBytes = 8;

uint64_t zigzag(int64_t value) { return static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63); }
int64_t from_zigzag(uint64_t value) { return static_cast<int64_t>(value >> 1 ^ (~(value & 1) + 1)); }

void append_tag(std::string& to, OrderId field, uint64_t code) {
  append_varint(to, uint64_t{field.value()} << 4 | code);
}

void append_integer(std::string& to, OrderId field, int64_t value) {
  const uint64_t stored = zigzag(value);
  const auto bytes = static_cast<uint64_t>((std::bit_width(stored) + 7) / 8);
  append_tag(to, field, bytes);
  for (uint64_t i = bytes; i > 0; --i) to += static_cast<char>(stored >> (8 * (i - 1)));
}

void append_number(std::string& to, OrderId field, double value) {
  const auto stored = std::bit_cast<uint64_t>(value);
  const auto bytes = stored == 0 ? 0 : static_cast<uint64_t>(8 - std::countr_zero(stored) / 8);
  append_tag(to, field, bytes);
  for (uint64_t i = 0; i < bytes; ++i) to += static_cast<char>(stored >> (56 - 8 * i));
}

int64_t integer_of(ByteView bytes) {
  uint64_t stored = 0;
  for (const char byte : bytes) stored = stored << 8 | static_cast<uint8_t>(byte);
  return from_zigzag(stored);
}

double number_of(ByteView bytes) {
  uint64_t stored = 0;
  for (size_t i = 0; i < bytes.size(); ++i) stored |= uint64_t{static_cast<uint8_t>(bytes[i])} << (56 - 8 * i);
  return std::bit_cast<double>(stored);
}

// Removes the stored value after a tag, and returns it. REQUIRES: a record of ours
ByteView take_stored(ByteView& left, uint64_t code) {
  const size_t size = code == kTextCode ? text_key_size(left) : code;
  const ByteView stored = left.substr(0, size);
  left.remove_prefix(size);
  return stored;
}

uint64_t take_tag(ByteView& left) {
  uint64_t tag = 0;
  const char* next = get_varint_unchecked(left.data(), tag);
  left.remove_prefix(static_cast<size_t>(next - left.data()));
  return tag;
}

void write_key(std::array<char, kNumberKeyBytes>& to, FieldType type, ByteView stored) {
  uint64_t bits = 0;
  constexpr uint64_t kSign = uint64_t{1} << 63;
  if (type == FieldType::Integer) {
    bits = static_cast<uint64_t>(integer_of(stored)) ^ kSign;
  } else {
    bits = std::bit_cast<uint64_t>(number_of(stored));
    bits = (bits & kSign) != 0 ? ~bits : bits | kSign;
  }
  if constexpr (std::endian::native == std::endian::little) bits = __builtin_bswap64(bits);
  std::memcpy(to.data(), &bits, sizeof(bits));
}

}  // namespace

void append_record(std::string& to, const IndexSchema& schema, const DocumentValues& values) {
  if (values.expires_at) append_integer(to, kExpiryOrder, static_cast<int64_t>(values.expires_at->value()));
  for (const DocumentValue& value : values.values) {
    const IndexField* field = schema.find_field(value.field);
    if (field == nullptr) continue;
    switch (field->type) {
      case FieldType::Integer:
        append_integer(to, field->id, integer_of_key(value.key));
        break;
      case FieldType::Number:
        append_number(to, field->id, number_of_key(value.key));
        break;
      case FieldType::Text:
        append_tag(to, field->id, kTextCode);
        to += value.key;
        break;
    }
  }
  to += '\0';
}

bool DocumentRecordReader::next() {
  while (left_.front() != '\0') {
    const uint64_t tag = take_tag(left_);
    const ByteView stored = take_stored(left_, tag & 15);
    field_ = OrderId(static_cast<uint32_t>(tag >> 4));
    const IndexField* field = field_ == kExpiryOrder ? nullptr : schema_.find_field(field_);
    if (field == nullptr) continue;
    key_ = stored;
    if (field->type != FieldType::Text) {
      write_key(number_, field->type, stored);
      key_ = {number_.data(), number_.size()};
    }
    return true;
  }
  return false;
}

std::optional<UnixMs> expiry_of(ByteView record) {
  // Its tag is the first one, and less than that of any field.
  const auto tag = static_cast<uint8_t>(record.front());
  if (tag == 0 || tag > kMostNumberBytes) return std::nullopt;
  return UnixMs(static_cast<uint64_t>(integer_of(record.substr(1, tag))));
}

size_t record_size(ByteView bytes) {
  const ByteView all = bytes;
  uint64_t before = 0;
  while (true) {
    uint64_t tag = 0;
    const char* next = get_varint(bytes.data(), bytes.data() + bytes.size(), tag);
    if (next == nullptr) return 0;
    bytes.remove_prefix(static_cast<size_t>(next - bytes.data()));
    if (tag == 0) return all.size() - bytes.size();
    const uint64_t code = tag & 15;
    if (tag >> 4 < before || tag >> 4 >= UINT32_MAX || (code > kMostNumberBytes && code != kTextCode)) return 0;
    if (tag >> 4 == 0 && (code == 0 || code == kTextCode)) return 0;
    before = tag >> 4;
    const size_t size = code == kTextCode ? text_key_size(bytes) : code;
    if (size > bytes.size() || (code == kTextCode && (size == 0 || size > 2 * kMaxIndexedText + 1))) return 0;
    bytes.remove_prefix(size);
  }
}

bool is_typed_record(const IndexSchema& schema, ByteView record) {
  while (record.front() != '\0') {
    const uint64_t tag = take_tag(record);
    const ByteView stored = take_stored(record, tag & 15);
    const OrderId id(static_cast<uint32_t>(tag >> 4));
    if (id == kExpiryOrder) continue;
    const IndexField* field = schema.find_field(id);
    if (field == nullptr || (field->type == FieldType::Text) != ((tag & 15) == kTextCode)) return false;
    if (field->type == FieldType::Number && std::isnan(number_of(stored))) return false;
  }
  return true;
}

size_t own_record_size(const char* bytes) {
  const char* at = bytes;
  while (*at != '\0') {
    uint64_t tag = 0;
    at = get_varint_unchecked(at, tag);
    // A text's key ends with its only 00.
    at += (tag & 15) == kTextCode ? std::strlen(at) + 1 : tag & 15;
  }
  return static_cast<size_t>(at + 1 - bytes);
}

void read_record(const IndexSchema& schema, ByteView record, DocumentValues& values) {
  values.clear();
  values.expires_at = expiry_of(record);
  DocumentRecordReader reader(schema, record);
  while (reader.next()) values.values.push_back({reader.field(), std::string(reader.key())});
}

}  // namespace millrace
