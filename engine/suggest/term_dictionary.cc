#include "engine/suggest/term_dictionary.h"

#include <bit>
#include <cmath>

namespace millrace {

TermDictionary::~TermDictionary() {
  while (free_some()) {
  }
}

std::optional<double> TermDictionary::weight(ByteView term) const {
  const TermEntry* found = terms_.find(term);
  return found == nullptr ? std::nullopt : std::optional(found->weight);
}

void TermDictionary::set(ByteView term, double weight) {
  if (terms_.update(term, [&](TermEntry& entry) { entry.weight = weight; })) return;
  const TermText* made = TermText::make(term);
  text_bytes_ += term.size();
  term_bytes_ += made->memory();
  terms_.insert(term, TermEntry{made, weight});
}

bool TermDictionary::remove(ByteView term) {
  TermEntry erased{};
  if (!terms_.erase(term, erased)) return false;
  text_bytes_ -= term.size();
  term_bytes_ -= erased.term->memory();
  TermText::free(erased.term);
  return true;
}

void TermDictionary::fade(double by) {
  factor_ *= by;
  if (factor_ >= kLeastFactor) return;
  terms_.change_all([&](TermEntry& entry) { entry.weight *= factor_; });
  factor_ = 1;
}

void digest(const TermDictionary& dictionary, DigestSink& sink) {
  sink.number(std::bit_cast<uint64_t>(dictionary.factor()));
  dictionary.terms().each([&](const TermEntry& entry) {
    sink.bytes(entry.term->text());
    sink.number(std::bit_cast<uint64_t>(entry.weight));
  });
}

bool TermDictionary::free_some() {
  return terms_.free_some([](const TermEntry& entry) { TermText::free(entry.term); });
}

const char* TermDictionary::check() const {
  uint64_t text_bytes = 0;
  size_t term_bytes = 0;
  bool has_bad_weight = false;
  terms_.each([&](const TermEntry& entry) {
    text_bytes += entry.term->text().size();
    term_bytes += entry.term->memory();
    if (!std::isfinite(entry.weight) || entry.weight < 0) has_bad_weight = true;
  });
  if (has_bad_weight) return "a weight that is none";
  if (text_bytes != text_bytes_ || term_bytes != term_bytes_) return "the bytes of the terms are not counted right";
  return terms_.check();
}

}  // namespace millrace
