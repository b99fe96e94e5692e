#include "module/suggest/suggest_shows.h"

#include "module/suggest/score_text.h"

namespace millrace::module {

void SugGet::show(abi::Reply reply, const Shown<TermDictionary>& shown, const SuggestGetRequest& request) {
  const auto best = suggest_operations().get(shown.object, request);
  reply.array(best.size() * (request.with_scores ? 2 : 1));
  for (const TermEntry* entry : best) {
    reply.bytes(entry->term->text());
    if (request.with_scores) reply.bytes(score_text(shown.object->score(entry->weight)));
  }
}

void SugInfo::show(abi::Reply reply, const Shown<TermDictionary>& shown, NoRequest) {
  const TermDictionary missing;
  const TermDictionary& dictionary = shown.object == nullptr ? missing : *shown.object;
  reply.map(3);
  reply.bytes("terms");
  reply.integer(static_cast<int64_t>(dictionary.size()));
  reply.bytes("term-bytes");
  reply.integer(static_cast<int64_t>(dictionary.text_bytes()));
  reply.bytes("best-score");
  reply.bytes(score_text(dictionary.best()));
}

}  // namespace millrace::module
