// Writes numbers as hexadecimal digits, for receipts and positions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace millrace {

// Writes the lowest `digits` of the number, and returns their end.
inline char* put_hex_digits(char* to, uint64_t number, size_t digits) {
  for (size_t i = digits; i-- > 0; number >>= 4) to[i] = "0123456789abcdef"[number & 15];
  return to + digits;
}

}  // namespace millrace
