// The dictionary of terms as a key type of the host.
#pragma once

#include "engine/suggest/term_dictionary.h"
#include "module/abi/data_type.h"

namespace millrace::abi {

template <>
struct TypeTraits<TermDictionary> {
  static constexpr const char* kName = "millr-sug";
  static constexpr int kEncodingVersion = 1;
  static std::unique_ptr<TermDictionary> load(RdbReader& reader, int version);
  static void release(std::unique_ptr<TermDictionary> dictionary);
  static void save(RdbWriter& writer, const TermDictionary& dictionary);
  static void rewrite(AofWriter& writer, const TermDictionary& dictionary);
  static void digest(DigestWriter& writer, const TermDictionary& dictionary) { dictionary.digest(writer); }
  static uint64_t memory(const TermDictionary& dictionary) { return dictionary.memory(); }
  static uint64_t free_effort(const TermDictionary& dictionary) { return dictionary.parts(); }
  static std::unique_ptr<TermDictionary> copy(const TermDictionary& dictionary);
};

}  // namespace millrace::abi

namespace millrace::module {

// The command that carries effects to replicas and the AOF.
inline constexpr const char* kApplyToSuggestions = "SUG.APPLY";

}  // namespace millrace::module
