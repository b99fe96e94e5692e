// The commands that change a dictionary, and how each is answered.
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

// SUG.APPLY is not for users: a server writes it to its AOF. But any client may send it, so it is documented, and
// checks its bytes as carefully as RESTORE does.
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
