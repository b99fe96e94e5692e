// A dictionary of terms from untrusted bytes, as RESTORE and SUG.APPLY bring them: its parts, one after the other, for
// a dictionary that is new and for one that has terms. Whatever a part says, the dictionary is valid after it, and
// unchanged if it was refused; it can be saved, loaded and searched, and works like any other.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/suggest/best_terms.h"
#include "engine/suggest/prefix_search.h"
#include "fuzz/allocation_meter.h"
#include "fuzz/require.h"
#include "tests/model/suggest_bytes.h"

namespace millrace {
namespace {

using testing::dictionary_digest;

// What a part may allocate: its own bytes, and its terms in memory.
constexpr uint64_t kPerInputByte = 16;
constexpr uint64_t kPerPart = 8192;

TermDictionary working_dictionary() {
  TermDictionary dictionary;
  for (const char* term : {"tea", "teak", "coffee"}) dictionary.set(term, 3);
  dictionary.fade(0.5);
  return dictionary;
}

// False at the end of the input.
bool restore_next(TermDictionary& dictionary, Decoder& parts) {
  const uint64_t kind = parts.number();
  const ByteView part = parts.bytes(parts.number());
  if (!parts.ok()) return false;
  const std::string before = dictionary_digest(dictionary);
  const uint64_t allocated = fuzz::allocated_bytes();
  const auto restored = restore_part(dictionary, static_cast<SuggestPart>(kind % 3), part);
  REQUIRE(fuzz::allocated_bytes() - allocated <= kPerPart + kPerInputByte * part.size());
  REQUIRE(dictionary.check() == nullptr);
  if (!restored) {
    REQUIRE(restored.error().code == ErrorCode::Corrupt && !restored.error().text.empty());
    REQUIRE(dictionary_digest(dictionary) == before);
  }
  return true;
}

void require_comes_back(const TermDictionary& dictionary) {
  const auto again = testing::dictionary_from_bytes(testing::dictionary_to_bytes(dictionary));
  // A dictionary without terms does not exist.
  REQUIRE(again.has_value() == !dictionary.empty());
  if (!again) return;
  REQUIRE(again->check() == nullptr);
  REQUIRE(dictionary_digest(*again) == dictionary_digest(dictionary));
}

void go_on(TermDictionary& dictionary) {
  for (const bool ignores_case : {false, true}) {
    const auto found = matching_prefixes(dictionary.terms(), {"te", ignores_case, true});
    for (const auto* prefixes : {&found.right, &found.mistaken}) {
      double before = 1e300;
      for (const TermEntry* entry : best_terms(dictionary.terms(), *prefixes, 5)) {
        REQUIRE(entry->weight <= before);
        before = entry->weight;
      }
    }
  }
  for (int i = 0; i < 300; ++i) dictionary.fade(0.001);
  dictionary.set("new", dictionary.weight_for(kMaxScore));
  REQUIRE(dictionary.check() == nullptr);
  std::vector<std::string> terms;
  dictionary.terms().each([&](const TermEntry& entry) { terms.emplace_back(entry.term->text()); });
  for (const std::string& term : terms) REQUIRE(dictionary.remove(term));
  REQUIRE(dictionary.check() == nullptr && dictionary.empty());
}

}  // namespace
}  // namespace millrace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace millrace;
  for (const bool is_new : {true, false}) {
    TermDictionary dictionary = is_new ? TermDictionary() : working_dictionary();
    Decoder parts({reinterpret_cast<const char*>(bytes), size});
    // A bounded number, because everything is checked after each one.
    for (int i = 0; i < 30 && !parts.finished() && restore_next(dictionary, parts);) ++i;
    require_comes_back(dictionary);
    go_on(dictionary);
  }
  return 0;
}
