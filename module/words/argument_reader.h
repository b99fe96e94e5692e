// Parses the words of a command. The first error latches: parse everything, then check once. It does not depend on the
// host, so parsers are tested and fuzzed without one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "engine/base/bytes.h"
#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "engine/base/quoted.h"

namespace millrace::module {

// Parsers get the words after the key. The views in a request are borrowed from these words.
using Words = std::span<const ByteView>;

// Limits that hold for all families.
// The most items that one command may ask for: a reply is built in memory.
inline constexpr uint64_t kMaxReadCount = 1'000'000;
// Largest block in an effect: positions inside a block have 32 bits.
inline constexpr uint64_t kMaxBlock = UINT32_MAX;
// Largest time span: the largest integer that is exact in a double, some 285,000 years.
inline constexpr uint64_t kMaxMs = (uint64_t{1} << 53) - 1;

// The same letters, in any case. REQUIRES: both have the same length
bool has_letters_of(ByteView word, ByteView upper);
// True if the word is this keyword, in any case. Most words differ from most keywords in their length or first letter;
// then no function is called. REQUIRES: the keyword is not empty
inline bool is_keyword(ByteView word, ByteView upper) {
  constexpr int kCase = 'a' - 'A';
  return word.size() == upper.size() && ((word[0] ^ upper[0]) & ~kCase) == 0 && has_letters_of(word, upper);
}

// A large request as its parser makes it, where the caller wants it. A Result<Request> of a plain struct clears all of
// it before its members are initialized; this one is not cleared.
template <class Request>
struct Parsed : Request {
  Parsed() {}  // NOLINT(modernize-use-equals-default): that it is written out is the point
};

class ArgumentReader {
 public:
  // Borrows the words for its own lifetime.
  explicit ArgumentReader(std::span<const ByteView> words) : words_(words) {}

  bool at_end() const { return failed() || at_ == words_.size(); }
  size_t left() const { return words_.size() - at_; }

  // The next word; empty, with an error, if there is none. `what` names it in errors.
  ByteView word(const char* what) {
    if (failed()) return {};
    if (at_ == words_.size()) return fail_without_word(what);
    return words_[at_++];
  }

  // Takes the next word if it is this keyword, in any case.
  bool keyword(ByteView upper) {
    if (at_end() || !is_keyword(words_[at_], upper)) return false;
    ++at_;
    return true;
  }

  // The same for an option that may be given once; the second time is an error.
  bool option(ByteView upper, bool& given) {
    if (!keyword(upper)) return false;
    if (given) fail_by_repetition(upper);
    given = true;
    return true;
  }

  // Takes the next word if it is a number from min to max.
  std::optional<int64_t> number_if_any(int64_t min, int64_t max);

  // The next word as a number from min to max. Errors quote the word and say what is expected: `expected`, or else the
  // range.
  uint64_t number(const char* what, uint64_t min, uint64_t max);
  int64_t signed_number(const char* what, int64_t min, int64_t max, const char* expected = nullptr);

  // Takes the next word if it is two numbers with a dot between them: from 0 to `max`, from `min_behind` to
  // `max_behind`.
  std::optional<std::pair<uint64_t, uint64_t>> numbers_with_dot(uint64_t max, uint64_t min_behind, uint64_t max_behind);

  // The next word as a name: any bytes, 1 to `longest` of them.
  ByteView name(const char* what, size_t longest) {
    const ByteView name = word(what);
    if (!failed() && (name.empty() || name.size() > longest)) fail_by_length(what, name, longest);
    return name;
  }

  // The next word as yes or no.
  bool yes_or_no(const char* what);

  // The next word is none of the known ones.
  void unknown_word(const char* expected);
  void fail(ErrorCode code, std::string text);

  // The request, or the first error; remaining words are an error.
  template <class Request>
  Result<Request> finish(Request request) {
    if (!at_end()) unknown_word("nothing more");
    if (failed()) return error();
    return request;
  }

  // The same for a request that is a local variable of the caller, without a copy.
  template <class Request>
  void finish_in_place(Result<Request>& parsed) {
    if (!at_end()) unknown_word("nothing more");
    if (failed()) parsed = error();
  }

  bool failed() const { return error_.has_value(); }
  // REQUIRES: failed()
  std::unexpected<Error> error() const { return std::unexpected(*error_); }

 private:
  template <class Number>
  Number parsed(const char* what, Number min, Number max, const char* expected);
  // Error texts are made in separate functions, outside of the parsing path.
  [[gnu::cold]] ByteView fail_without_word(const char* what);
  [[gnu::cold]] void fail_by_repetition(ByteView option);
  [[gnu::cold]] void fail_by_length(const char* what, ByteView name, size_t longest);
  template <class Number>
  [[gnu::cold]] void fail_by_number(const char* what, ByteView found, Number min, Number max, const char* expected);

  std::span<const ByteView> words_;
  size_t at_ = 0;
  std::optional<Error> error_;
};

}  // namespace millrace::module
