#include "module/log/log_resources.h"

#include <utility>

#include "module/abi/context.h"
#include "module/runtime/reclaim.h"

namespace millrace::module {

BlockPacker& block_packer() {
  static BlockPacker packer;
  return packer;
}

namespace {

// How many tags are freed between two checks of the clock.
constexpr size_t kTagsAtOnce = 1000;

class UnusedTags final : public Reclaimable {
 public:
  explicit UnusedTags(std::unique_ptr<Compaction> compaction) : compaction_(std::move(compaction)) {}
  bool free_some() override { return compaction_->free_some(kTagsAtOnce); }

 private:
  std::unique_ptr<Compaction> compaction_;
};

}  // namespace

void reclaim_tags(std::unique_ptr<Compaction> unused) {
  if (unused != nullptr) reclaim(std::make_unique<UnusedTags>(std::move(unused)));
}

}  // namespace millrace::module
