// Parts for the rows of a family's command table.
#pragma once

#include "module/abi/registration.h"
#include "module/runtime/deferred_wakes.h"

namespace millrace::module {

using abi::ArgumentDoc;
using enum abi::ArgumentKind;
inline constexpr int kOptional = abi::kArgumentOptional;
inline constexpr int kMultiple = abi::kArgumentMultiple;
// Repeated with its token: WHERE a = 1 WHERE b = 2.
inline constexpr int kMultipleToken = abi::kArgumentMultiple | abi::kArgumentMultipleToken;

inline constexpr const char* kSince = "1.0.0";
inline constexpr const char* kSince2 = "2.0.0";
inline constexpr ArgumentDoc kKey{.name = "key", .kind = Key};
inline constexpr ArgumentDoc kOnlyKey[] = {kKey};

// Every command first serves clients that wait for changes of an earlier transaction.
template <abi::Handler handler>
void after_deferred_wakes(abi::Context context, abi::Arguments arguments) {
  wake_deferred(context);
  handler(context, arguments);
}
// NOLINTBEGIN(readability-identifier-naming): the tables use these as if they were functions.
template <abi::Handler handler>
inline constexpr abi::CommandCallback callback = abi::of<after_deferred_wakes<handler>>;
template <abi::Handler handler>
inline constexpr abi::CommandCallback subcommand = abi::of_subcommand<after_deferred_wakes<handler>>;
template <abi::Handler handler, abi::FindOtherKeys find>
inline constexpr abi::CommandCallback callback_with_keys = abi::of_several<after_deferred_wakes<handler>, find>;
// NOLINTEND(readability-identifier-naming)

}  // namespace millrace::module
