// The commands that change a dictionary: how each is answered.
#pragma once

#include "module/runtime/run.h"
#include "module/suggest/score_text.h"
#include "module/suggest/suggest_object.h"
#include "module/suggest/suggest_requests.h"

namespace millrace::module {

struct SugAdd {
  using Object = TermDictionary;
  static constexpr auto parse = parse_sug_add;
  static auto execute(Place<TermDictionary>& dictionary, const SuggestAddRequest& request, const Call& call) {
    return suggest_operations().add(dictionary, request, call);
  }
  static void write(abi::Reply reply, double score) { reply.bytes(score_text(score)); }
};

struct SugDel {
  using Object = TermDictionary;
  static constexpr auto parse = parse_sug_del;
  static auto execute(Place<TermDictionary>& dictionary, SuggestTerms terms, const Call& call) {
    return suggest_operations().remove(dictionary, terms, call);
  }
  static constexpr auto write = write_number;
};

struct SugDecay {
  using Object = TermDictionary;
  static constexpr auto parse = parse_sug_decay;
  static auto execute(Place<TermDictionary>& dictionary, double percent, const Call& call) {
    return suggest_operations().decay(dictionary, percent, call);
  }
  static constexpr auto write = write_number;
};

// SUG.APPLY is not for people: it is what a server writes to its AOF. It is documented, and as careful with its bytes
// as RESTORE, because anybody may send it.
struct SugApply {
  using Object = TermDictionary;
  static constexpr auto parse = parse_sug_apply;
  static auto execute(Place<TermDictionary>& dictionary, const Part& part, const Call& call) {
    return suggest_operations().apply(dictionary, part, call);
  }
  static constexpr auto write = write_ok;
  static constexpr bool kApplies = true;
};

}  // namespace millrace::module
