#include "engine/suggest/prefix_search.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/base/case_folding.h"
#include "engine/base/utf8.h"

namespace millrace {

namespace {

// REQUIRES: !text.empty()
ByteView first_character(ByteView text) { return text.substr(0, std::max<size_t>(utf8_length(text), 1)); }

// Removes prefixes that begin with another one. Sorts the list.
void leave_out_longer(std::vector<std::string>& prefixes) {
  std::ranges::sort(prefixes);
  size_t kept = 0;
  for (std::string& prefix : prefixes) {
    if (kept > 0 && prefix.starts_with(prefixes[kept - 1])) continue;
    std::swap(prefixes[kept++], prefix);
  }
  prefixes.resize(kept);
}

class PrefixSearch {
 public:
  PrefixSearch(const TermTree& tree, const TypedPrefix& typed)
      : tree_(tree), allows_a_mistake_(typed.allows_a_mistake) {
    for (ByteView rest = typed.text; !rest.empty();) {
      const ByteView character = first_character(rest);
      rest.remove_prefix(character.size());
      typed_.push_back(typed.ignores_case ? case_variants(character) : Variants{std::string(character)});
    }
  }

  MatchingPrefixes search() {
    if (is_prefix()) go_on(0, false);
    leave_out_longer(found_.right);
    std::erase_if(found_.mistaken,
                  [&](const std::string& mistaken) { return begins_with_one(found_.right, mistaken); });
    leave_out_longer(found_.mistaken);
    return std::move(found_);
  }

 private:
  using Variants = std::vector<std::string>;  // of one character

  // at_ is the beginning of a term, and matches the typed text up to `i`.
  void go_on(size_t i, bool has_mistake) {
    if (i == typed_.size()) return (has_mistake ? found_.mistaken : found_.right).push_back(at_);
    for (const std::string& variant : typed_[i]) with(variant, [&] { go_on(i + 1, has_mistake); });
    if (allows_a_mistake_ && !has_mistake) make_mistake(i);
  }

  void make_mistake(size_t i) {
    // A character too many.
    go_on(i + 1, true);
    // Two characters that are swapped.
    if (i + 1 < typed_.size() && typed_[i] != typed_[i + 1]) {
      for (const std::string& second : typed_[i + 1]) {
        with(second, [&] {
          for (const std::string& first : typed_[i]) with(first, [&] { go_on(i + 2, true); });
        });
      }
    }
    for (const std::string& other : next_characters()) {
      at_ += other;
      // A wrong character.
      if (std::ranges::find(typed_[i], other) == typed_[i].end()) go_on(i + 1, true);
      // A missing character.
      go_on(i, true);
      at_.resize(at_.size() - other.size());
    }
  }

  // Calls act() with these bytes appended to at_, if a term begins with that.
  template <class Act>
  void with(ByteView more, Act act) {
    at_ += more;
    if (is_prefix()) act();
    at_.resize(at_.size() - more.size());
  }

  bool is_prefix() {
    const TermEntry* found = look_up(TermBound{at_, false});
    return found != nullptr && found->term->text().starts_with(at_);
  }

  // The characters that can follow at_ in terms.
  std::vector<std::string> next_characters() {
    std::vector<std::string> characters;
    std::string behind = at_ + '\0';  // all texts that are longer than at_ are at or after this
    const TermEntry* found = look_up(ByteView(behind));
    while (found != nullptr && found->term->text().starts_with(at_)) {
      const ByteView text = found->term->text();
      const ByteView character = first_character(text.substr(at_.size()));
      if (characters.empty() || characters.back() != character) characters.emplace_back(character);
      // An invalid byte here may be the beginning of a character in the next term.
      const bool is_valid = utf8_length(character) > 0;
      behind.assign(is_valid ? at_ + std::string(character) : std::string(text) + '\0');
      found = is_valid ? look_up(TermBound{behind, true}) : look_up(ByteView(behind));
    }
    return characters;
  }

  template <class Key>
  const TermEntry* look_up(const Key& key) {
    if (lookups_left_ == 0) return nullptr;
    --lookups_left_;
    return tree_.ceiling(key);
  }

  const TermTree& tree_;
  bool allows_a_mistake_;
  std::vector<Variants> typed_;
  std::string at_;
  size_t lookups_left_ = kMostPrefixLookups;
  MatchingPrefixes found_;
};

}  // namespace

bool begins_with_one(std::span<const std::string> prefixes, ByteView text) {
  // No prefix begins with another one. So if one of them is at the front of the text, it is the last one that is not
  // after the text.
  const auto behind =
      std::ranges::upper_bound(prefixes, text, {}, [](const std::string& each) { return ByteView(each); });
  return behind != prefixes.begin() && text.starts_with(*std::prev(behind));
}

MatchingPrefixes matching_prefixes(const TermTree& tree, const TypedPrefix& typed) {
  if (!typed.ignores_case && !typed.allows_a_mistake) return {{std::string(typed.text)}, {}};
  return PrefixSearch(tree, typed).search();
}

}  // namespace millrace
