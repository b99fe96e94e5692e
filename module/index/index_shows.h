// The commands that only read an index.
#pragma once

#include "module/index/index_object.h"
#include "module/index/index_requests.h"
#include "module/runtime/run.h"

namespace millrace::module {

// IDX.FIND and IDX.CHECK also read documents, so they are separate functions.
void idx_find(abi::Context context, abi::Arguments arguments);
void idx_check(abi::Context context, abi::Arguments arguments);

struct IdxCount {
  using Object = Index;
  static constexpr auto parse = parse_idx_count;
  static void show(abi::Reply reply, const Shown<Index>& shown, const CountRequest& request);
};

struct IdxSample {
  using Object = Index;
  static constexpr auto parse = parse_idx_sample;
  static void show(abi::Reply reply, const Shown<Index>& shown, const SampleRequest& request);
};

struct IdxRecent {
  using Object = Index;
  static constexpr auto parse = parse_idx_recent;
  static void show(abi::Reply reply, const Shown<Index>& shown, uint64_t count);
};

struct IdxComplete {
  using Object = Index;
  static constexpr auto parse = parse_idx_complete;
  static void show(abi::Reply reply, const Shown<Index>& shown, const CompleteRequest& request);
};

struct IdxConflicts {
  using Object = Index;
  static constexpr auto parse = parse_idx_conflicts;
  static void show(abi::Reply reply, const Shown<Index>& shown, uint64_t count);
};

struct IdxSkipped {
  using Object = Index;
  static constexpr auto parse = parse_idx_skipped;
  static void show(abi::Reply reply, const Shown<Index>& shown, uint64_t count);
};

struct IdxInfo {
  using Object = Index;
  static constexpr auto parse = parse_nothing;
  static void show(abi::Reply reply, const Shown<Index>& shown, NoRequest);
};

}  // namespace millrace::module
