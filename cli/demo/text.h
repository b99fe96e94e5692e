// Text from parts: strings, and numbers.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace millrace::cli::demo {

template <class... Parts>
std::string text(const Parts&... parts) {
  std::string all;
  const auto append = [&](const auto& part) {
    if constexpr (std::integral<std::remove_cvref_t<decltype(part)>>) {
      all += std::to_string(part);
    } else {
      all += std::string_view(part);
    }
  };
  (append(parts), ...);
  return all;
}

}  // namespace millrace::cli::demo
