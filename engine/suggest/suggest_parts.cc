#include "engine/suggest/suggest_parts.h"

#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/decoder.h"

namespace millrace {

namespace {

// Do not change: persisted.
constexpr uint64_t kVersion = 1;
// A part is closed when it is longer.
constexpr size_t kPartBytes = 16 * 1024;
constexpr size_t kDoubleBytes = 8;
// A score that was set to the largest allowed number may have been rounded up.
constexpr double kMostDecodedScore = kMaxScore * 1.001;

void append_double(std::string& to, double value) {
  uint64_t bits = std::bit_cast<uint64_t>(value);
  for (size_t i = 0; i < kDoubleBytes; ++i, bits >>= 8) to += static_cast<char>(bits & 0xff);
}

double read_double(Decoder& in) {
  uint64_t bits = 0;
  const ByteView bytes = in.bytes(kDoubleBytes);
  for (size_t i = 0; i < bytes.size(); ++i) bits |= uint64_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
  return std::bit_cast<double>(bits);
}

// A decoded part that is not validated yet.
struct DecodedTerms {
  double factor = 1;
  std::vector<std::pair<ByteView, double>> terms;  // borrowed from the bytes

  Result<void> decode(ByteView bytes, const TermDictionary& dictionary) {
    Decoder in(bytes);
    if (in.number() != kVersion) return corrupt("terms of a version this module does not know");
    factor = read_double(in);
    if (!in.ok() || !(factor >= kLeastFactor && factor <= 1)) return corrupt("terms without a factor");
    if (!dictionary.empty() && factor != dictionary.factor()) return corrupt("parts of two dictionaries");
    do {
      const ByteView term = in.bytes(in.number());
      const double weight = read_double(in);
      if (!in.ok() || term.empty() || term.size() > kMaxTerm) return corrupt("a term of the wrong length");
      // This also refuses NaN.
      if (!(weight >= 0 && weight * factor <= kMostDecodedScore)) return corrupt("a term with an impossible score");
      if (!terms.empty() && term <= terms.back().first) return corrupt("terms out of order");
      if (dictionary.weight(term)) return corrupt("a term that is there already");
      terms.emplace_back(term, weight);
    } while (!in.finished());
    return {};
  }
};

}  // namespace

void each_part(const TermDictionary& dictionary, const PartVisit& visit) {
  std::string bytes;
  dictionary.terms().each([&](const TermEntry& entry) {
    const ByteView term = entry.term->text();
    if (bytes.empty()) {
      append_varint(bytes, kVersion);
      append_double(bytes, dictionary.factor());
    }
    append_varint(bytes, term.size());
    bytes += term;
    append_double(bytes, entry.weight);
    if (bytes.size() > kPartBytes) {
      visit({number_of(SuggestPart::Terms), bytes, {}});
      bytes.clear();
    }
  });
  if (!bytes.empty()) visit({number_of(SuggestPart::Terms), bytes, {}});
}

Result<TermDictionary> SuggestRestorer::finish() {
  if (dictionary_.empty()) return corrupt("a dictionary without terms");
  return std::move(dictionary_);
}

Result<void> restore_part(TermDictionary& dictionary, SuggestPart part, ByteView bytes) {
  if (part != SuggestPart::Terms) return corrupt("a part of a dictionary that this module does not know");
  DecodedTerms decoded;
  if (auto done = decoded.decode(bytes, dictionary); !done) return done;
  if (dictionary.empty()) dictionary.restore_factor(decoded.factor);
  for (const auto& [term, weight] : decoded.terms) dictionary.set(term, weight);
  return {};
}

}  // namespace millrace
