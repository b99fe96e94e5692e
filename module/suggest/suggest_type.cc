#include "module/suggest/suggest_type.h"

#include <string>

#include "engine/suggest/suggest_codec.h"
#include "engine/suggest/suggest_effects.h"
#include "module/runtime/counters.h"
#include "module/runtime/failure_point.h"
#include "module/runtime/reclaim.h"

namespace millrace::abi {

namespace {

// Behind the last part of a dictionary in an RDB file. Do not change: persisted.
constexpr char kDictionaryEnd = '\x7f';

// A part travels as one string, its kind first.
Result<std::unique_ptr<TermDictionary>> load_dictionary(RdbReader& reader) {
  auto dictionary = std::make_unique<TermDictionary>();
  while (true) {
    const auto bytes = reader.bytes();
    if (!bytes || bytes->size() == 0) return cut_short();
    const char kind = bytes->view().front();
    if (kind == kDictionaryEnd && !dictionary->empty()) return dictionary;
    module::failure_point("suggest.load");
    auto restored = restore_suggest_part(*dictionary, static_cast<SuggestPart>(kind), bytes->view().substr(1));
    if (!restored) return std::unexpected(restored.error());
  }
}

}  // namespace

std::unique_ptr<TermDictionary> TypeTraits<TermDictionary>::load(RdbReader& reader, int version) {
  auto dictionary = version == kEncodingVersion ? load_dictionary(reader)
                                                : fail(ErrorCode::Corrupt, "written by a newer version of the module");
  if (dictionary) return std::move(*dictionary);
  ++module::counters.refused_payloads;
  reader.refuse("dictionary of terms", dictionary.error());
  return nullptr;
}

void TypeTraits<TermDictionary>::release(std::unique_ptr<TermDictionary> dictionary) {
  if (dictionary->parts() > module::kPartsAtOnce && module::may_reclaim_later()) {
    module::reclaim_parts(std::move(dictionary));
  }
}

void TypeTraits<TermDictionary>::save(RdbWriter& writer, const TermDictionary& dictionary) {
  each_suggest_part(dictionary, [&](SuggestPart part, ByteView bytes) {
    writer.bytes(std::string(1, static_cast<char>(part)) + std::string(bytes));
    module::failure_point("suggest.save");
  });
  writer.bytes(ByteView(&kDictionaryEnd, 1));
}

void TypeTraits<TermDictionary>::rewrite(AofWriter& writer, const TermDictionary& dictionary) {
  each_suggest_part(dictionary, [&](SuggestPart part, ByteView bytes) {
    module::failure_point("suggest.rewrite");
    writer.emit(module::kApplyToSuggestions, kSuggestParts[static_cast<size_t>(part)], bytes);
  });
}

std::unique_ptr<TermDictionary> TypeTraits<TermDictionary>::copy(const TermDictionary& dictionary) {
  auto made = std::make_unique<TermDictionary>();
  // What we have written ourselves can be read.
  each_suggest_part(dictionary, [&](SuggestPart part, ByteView bytes) {
    static_cast<void>(restore_suggest_part(*made, part, bytes));
  });
  return made;
}

}  // namespace millrace::abi
