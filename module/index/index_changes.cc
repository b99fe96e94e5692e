#include "module/index/index_changes.h"

#include <string>
#include <utility>
#include <vector>

#include "engine/base/hash_slot.h"
#include "engine/base/prefix_probe.h"
#include "module/abi/document.h"
#include "module/runtime/reclaim.h"

namespace millrace::module {

namespace {

class UnusedOrder final : public Reclaimable {
 public:
  explicit UnusedOrder(Index::Order order) : order_(std::move(order)) {}
  bool free_some() override { return millrace::free_some(order_); }

 private:
  Index::Order order_;
};

}  // namespace

Result<void> IdxCreate::check(abi::Context context, abi::StringRef key, const CreateIndexRequest& request) {
  if (!decides(context)) return {};
  if (context.is_cluster() && !hash_tag(request.prefix).empty() && hash_slot(request.prefix) != hash_slot(key.view())) {
    return fail(ErrorCode::Range, "documents with this prefix are in another slot than the index: use one hash tag");
  }
  const abi::OwnedString command(request.is_json ? "GET" : "HGETALL");
  for (const ByteView rest : kPrefixProbes) {
    const abi::OwnedString document(std::string(request.prefix).append(rest));
    const abi::StringRef words[] = {command, document};
    if (!context.may_run(words)) {
      return fail(ErrorCode::NoRights, "the user may not read all keys that begin with the prefix");
    }
  }
  return {};
}

Outcome<Done> IdxAlter::execute(Place<Index>& index, AlterIndexRequest& request, const Call& call) {
  auto altered = index_operations().alter(index, request, call);
  if (!altered.answer) return std::unexpected(altered.answer.error());
  reclaim(std::make_unique<UnusedOrder>(std::move(*altered.answer)));
  return {Done(), std::move(altered.consequences)};
}

void idx_put(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_idx_put(arguments.views(2));
  if (!request) return context.reply().error(request.error());
  const auto key = IndexKey::for_reading(context, arguments.string(1));
  if (!key) return context.reply().error(key.error());
  const auto holders = index_operations().holders(key->get(), *request);
  if (!holders) return context.reply().error(holders.error());
  // A document that has expired must release its unique value: opening it makes the host delete it.
  for (const std::string& holder : *holders) {
    const abi::OwnedString name(holder);
    const abi::DocumentKey opened(context, name);
  }
  if (const auto may = index_operations().may_put(key->get(), *request); !may) {
    return context.reply().error(may.error());
  }
  std::vector<abi::StringRef> words;
  for (size_t i = 2; i < arguments.size(); ++i) words.push_back(arguments.string(i));
  abi::hset_and_reply(context, words);
}

std::vector<size_t> idx_put_document(abi::Arguments arguments) {
  return arguments.size() > 2 ? std::vector<size_t>{2} : std::vector<size_t>();
}

}  // namespace millrace::module
