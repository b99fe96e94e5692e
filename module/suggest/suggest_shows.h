// The commands that only read a dictionary.
#pragma once

#include "module/runtime/run.h"
#include "module/suggest/suggest_object.h"
#include "module/suggest/suggest_requests.h"

namespace millrace::module {

struct SugGet {
  using Object = TermDictionary;
  static constexpr auto parse = parse_sug_get;
  static void show(abi::Reply reply, const Shown<TermDictionary>& shown, const SuggestGetRequest& request);
};

struct SugInfo {
  using Object = TermDictionary;
  static constexpr auto parse = parse_nothing;
  static void show(abi::Reply reply, const Shown<TermDictionary>& shown, NoRequest);
};

}  // namespace millrace::module
