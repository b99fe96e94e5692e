// Shared by the writer and the reader of the strings of a routing table; route_codec.h draws them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/base/decoder.h"
#include "engine/base/limits.h"
#include "engine/base/utf8.h"

namespace millrace {

// Do not change: persisted.
inline constexpr uint64_t kTableVersion = 2;
inline constexpr char kHeadString = 'H';
inline constexpr char kDeviceString = 'D';
inline constexpr char kTargetString = 'T';
inline constexpr char kFilterString = 'F';
inline constexpr char kDispatchString = 'I';
// A target with more subscriptions gets a separate string.
inline constexpr size_t kMostTogether = 64;
// Filter and NamedFilter are of version 1.
enum class TargetKind : uint64_t { Everything = 0, Filter = 1, NamedFilter = 2, SavedFilter = 3, NamedSavedFilter = 4 };

// How much of the digest of a filter's JSON is saved: it detects damaged bytes without parsing them.
inline constexpr size_t kDigestBytes = 8;

inline bool is_named(TargetKind kind) {
  return kind == TargetKind::NamedFilter || kind == TargetKind::NamedSavedFilter;
}
inline bool is_saved(TargetKind kind) {
  return kind == TargetKind::SavedFilter || kind == TargetKind::NamedSavedFilter;
}

// A string is closed when it is longer.
inline constexpr size_t kStringBytes = 16 * 1024;

inline void append_text(std::string& to, ByteView text) {
  append_varint(to, text.size());
  to += text;
}

inline ByteView read_text(Decoder& in) { return in.bytes(in.number()); }

// The same rule as in the parsers of commands: names become JSON in dispatched entries.
inline bool is_name(ByteView name) { return !name.empty() && name.size() <= kMaxNameBytes && is_utf8(name); }

}  // namespace millrace
