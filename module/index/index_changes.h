// The commands that change an index, and how each is answered.
#pragma once

#include "module/index/index_object.h"
#include "module/index/index_requests.h"
#include "module/runtime/run.h"

namespace millrace::module {

struct IdxCreate {
  using Object = Index;
  static constexpr auto parse = parse_idx_create;
  // A user that may read an index may read the documents it covers, so its creator must be allowed to read them.
  static Result<void> check(abi::Context context, abi::StringRef key, const CreateIndexRequest& request);
  static auto execute(Place<Index>& index, CreateIndexRequest& request, const Call& call) {
    return index_operations().create(index, request, call);
  }
  static constexpr auto write = write_ok;
};

struct IdxAlter {
  using Object = Index;
  static constexpr auto parse = parse_idx_alter;
  static bool grows(const Index*, const AlterIndexRequest& request) {
    return request.kind == AlterIndexRequest::Kind::AddField || request.kind == AlterIndexRequest::Kind::AddOrder;
  }
  static Outcome<Done> execute(Place<Index>& index, AlterIndexRequest& request, const Call& call);
  static constexpr auto write = write_ok;
};

// IDX.APPLY is what a server writes to its AOF when it rewrites it. It is documented, and validates its bytes
// as RESTORE does, because any client may send it.
struct IdxApply {
  using Object = Index;
  static constexpr auto parse = parse_idx_apply;
  static Now now(const auto&) { return {}; }
  static auto execute(Place<Index>& index, Part& request, const Call& call) {
    return index_operations().apply(index, request, call);
  }
  static constexpr auto write = write_ok;
  static constexpr bool kApplies = true;
};

// IDX.PUT writes a document by the host's HSET, whose event changes the index.
void idx_put(abi::Context context, abi::Arguments arguments);
// Which of the words is the document's key.
std::vector<size_t> idx_put_document(abi::Arguments arguments);

}  // namespace millrace::module
