#include "module/abi/data_type.h"
#include "module/abi/document.h"
#include "module/index/index_commands.h"
#include "module/index/index_documents.h"
#include "module/index/index_object.h"
#include "module/index/index_registry.h"

namespace millrace::module {

namespace {

void write_info(abi::InfoWriter& info) {
  uint64_t documents = 0;
  uint64_t unfinished = 0;
  index_registry::each([&](const RegisteredIndex& registered) {
    documents += registered.index->documents().size();
    if (!registered.index->is_ready()) ++unfinished;
  });
  info.field("indexes", index_registry::size());
  info.field("indexes_being_built", unfinished);
  info.field("indexed_documents", documents);
}

void follow_loading(abi::Loading moment) {
  is_loading_documents = moment == abi::Loading::Begins;
  if (moment == abi::Loading::TakesOver) index_registry::take_over_staged();
  if (moment == abi::Loading::IsThrownAway) index_registry::forget_staged();
  if (!abi::replaces_keys(moment)) return;
  index_registry::each([](RegisteredIndex& registered) {
    registered.is_among_documents = false;
    if (abi::drops_fields_at_loading() && !registered.index->schema().is_json()) {
      index_upkeep::begin_refresh(registered);
    }
  });
  index_upkeep::resume();
}

constexpr DatabaseEvents kDatabaseEvents{
    .swapped = index_registry::follow_swap, .emptied = index_registry::forget_database, .loading = follow_loading};

}  // namespace

Family index_family() {
  return {
      .part = {.commands = index_command_table(),
               .create_type = abi::DataType<Index>::create,
               .write_info = write_info},
      .look_after = nullptr,
      .appeared = nullptr,  // indexes_follow_document() sees it
      .waiters = nullptr,
      .database_events = &kDatabaseEvents,
      .import_ended = index_upkeep::resume,
  };
}

void indexes_follow_document(abi::Context context, abi::StringRef key, const char* event) {
  on_document_changed(context, key, event);
}

}  // namespace millrace::module
