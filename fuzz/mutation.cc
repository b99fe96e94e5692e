#include "fuzz/mutation.h"

#include <iterator>
#include <string_view>

namespace millrace::fuzz {

namespace {

using namespace std::string_view_literals;

// No input grows beyond this: otherwise repeated doublings would slow everything down.
constexpr size_t kLongest = 1 << 16;

// Bytes that decoders and parsers treat specially: varints and numbers at their limits, and separators of words.
constexpr std::string_view kTokens[] = {
    "\0"sv,
    "\x7f"sv,
    "\x80\x01"sv,
    "\x80\0"sv,
    "\xff\xff\xff\xff\x0f"sv,
    "\xff\xff\xff\xff\xff\xff\xff\xff\x7f"sv,
    "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv,
    "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"sv,
    "\n"sv,
    "\n0\n"sv,
    "\n-1\n"sv,
    "\n$\n"sv,
    "9223372036854775807"sv,
    "9223372036854775808"sv,
    "18446744073709551616"sv,
    "BLOCK"sv,
    "TAGS"sv,
    "COUNT"sv,
    "ENTRIES"sv,
};

class Mutation {
 public:
  Mutation(const std::vector<std::string>& inputs, std::mt19937_64& random)
      : inputs_(inputs), random_(random), bytes_(any_input()) {}

  std::string result() {
    // Often a single change: an input that is still valid in all other places gets furthest.
    for (uint64_t changes = random_() % 2 == 0 ? 1 : 1 + random_() % 4; changes > 0; --changes) change();
    if (bytes_.size() > kLongest) bytes_.resize(kLongest);
    return std::move(bytes_);
  }

 private:
  const std::string& any_input() { return inputs_[random_() % inputs_.size()]; }
  size_t any_place() { return random_() % (bytes_.size() + 1); }
  // Mostly short runs: long ones leave little of an input.
  size_t any_length() { return 1 + random_() % (random_() % 4 == 0 ? 64 : 4); }

  void change() {
    const size_t at = any_place();
    switch (random_() % 9) {
      case 0:
        if (at < bytes_.size()) bytes_[at] = static_cast<char>(bytes_[at] ^ 1 << random_() % 8);
        break;
      case 1:
        if (at < bytes_.size()) bytes_[at] = static_cast<char>(random_());
        break;
      case 2:
        // A length or count that is wrong by a small number.
        if (at < bytes_.size()) bytes_[at] = static_cast<char>(bytes_[at] + (random_() % 2 == 0 ? 1 : -1));
        break;
      case 3:
        bytes_.erase(at, any_length());
        break;
      case 4:
        bytes_.insert(at, bytes_.substr(any_place(), any_length()));
        break;
      case 5:
        bytes_.insert(at, kTokens[random_() % std::size(kTokens)]);
        break;
      case 6: {
        const std::string_view token = kTokens[random_() % std::size(kTokens)];
        bytes_.replace(at, token.size(), token);
        break;
      }
      case 7: {
        const std::string& other = any_input();
        const size_t from = random_() % (other.size() + 1);
        bytes_.replace(at, std::string::npos, other, from, std::string::npos);
        break;
      }
      default:
        bytes_.resize(at);
        break;
    }
  }

  const std::vector<std::string>& inputs_;
  std::mt19937_64& random_;
  std::string bytes_;
};

}  // namespace

std::string mutated(const std::vector<std::string>& inputs, std::mt19937_64& random) {
  return Mutation(inputs, random).result();
}

}  // namespace millrace::fuzz
