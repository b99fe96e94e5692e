// Numbers with their most significant byte first: such bytes are in the order of the numbers.
#pragma once

#include <bit>
#include <concepts>
#include <string>

namespace millrace {

template <std::unsigned_integral Number>
void append_big_endian(std::string& to, Number number) {
  if constexpr (std::endian::native == std::endian::little) number = std::byteswap(number);
  to.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

}  // namespace millrace
