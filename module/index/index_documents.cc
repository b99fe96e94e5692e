#include "module/index/index_documents.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/index/json_document.h"
#include "module/index/index_object.h"
#include "module/index/index_type.h"
#include "module/runtime/imported_slots.h"

namespace millrace::module {

namespace {

JsonDocuments& json_documents() {
  static JsonDocuments parser;
  return parser;
}

// True in an event of INCR and its like: see abi::DocumentKey::string().
constinit bool is_counted_now = false;

const std::vector<abi::OwnedString>& field_names(RegisteredIndex& registered) {
  const Index& index = *registered.index;
  if (registered.schema_version != index.schema_version()) {
    registered.field_names.clear();
    for (const IndexField& field : index.schema().fields()) registered.field_names.emplace_back(field.name);
    registered.schema_version = index.schema_version();
  }
  return registered.field_names;
}

bool is_document(const Index& index, const abi::DocumentKey& document) {
  return index.schema().is_json() ? document.is_string() : document.is_hash();
}

// What the index takes from the document. Borrowed until the next call.
const DocumentValues& read_document(RegisteredIndex& registered, const abi::DocumentKey& document) {
  static DocumentValues values;
  const IndexSchema& schema = registered.index->schema();
  values.clear();
  if (schema.is_json()) {
    // A number has no fields, and must not be read now.
    if (!is_counted_now) document.string([&](ByteView json) { json_documents().read(json, schema, values); });
  } else {
    const auto& names = field_names(registered);
    for (size_t i = 0; i < names.size(); ++i) {
      if (const auto value = document.field(names[i])) values.add(schema.fields()[i], abi::StringRef(*value).view());
    }
  }
  values.expires_at = document.expires_at();
  values.finish();
  return values;
}

ByteView name_of(const RegisteredIndex& registered, ByteView key) {
  return key.substr(registered.index->schema().prefix().size());
}

// An index was renamed or restored: its documents may be different there.
void index_appeared(abi::Context context, abi::StringRef name, std::string_view event) {
  auto key = IndexKey::for_upkeep(context, name);
  if (!key || key->get() == nullptr) return;
  const DatabaseKey place{context.database(), std::string(name.view())};
  RegisteredIndex& registered = index_registry::add(place, key->get());
  // The index may have replaced one of its own documents, and for that there is no event.
  if (name.view().starts_with(registered.index->schema().prefix())) {
    registered.index->remove(name_of(registered, name.view()));
  }
  if (event != "rename_to") registered.index->set_work(IndexWork::Verify);
  index_upkeep::resume();
}

template <size_t size>
bool is_one_of(std::string_view event, const std::array<std::string_view, size>& events) {
  return std::ranges::find(events, event) != events.end();
}

constexpr std::array<std::string_view, 4> kAppearing = {"rename_to", "copy_to", "move_to", "restore"};
// These events change no document.
constexpr std::array<std::string_view, 2> kNotWriting = {"expire", "persist"};
constexpr std::array<std::string_view, 2> kCounting = {"incrby", "incrbyfloat"};

}  // namespace

DocumentState compare_document(RegisteredIndex& registered, const abi::DocumentKey& document, ByteView key) {
  const Index& index = *registered.index;
  const DocumentValues* values = is_document(index, document) ? &read_document(registered, document) : nullptr;
  return index.compare(name_of(registered, key), values, abi::now());
}

bool sync_document(RegisteredIndex& registered, const abi::DocumentKey& document, ByteView key, Noting noting) {
  if (!is_document(*registered.index, document)) return registered.index->remove(name_of(registered, key));
  return registered.index->set(name_of(registered, key), read_document(registered, document), noting);
}

void on_document_changed(abi::Context context, abi::StringRef key, const char* event) {
  const std::string_view name(event);
  if (is_one_of(name, kAppearing)) index_appeared(context, key, name);
  const int database = context.database();
  if (!index_registry::is_covered(database, key.view())) return;
  // Before the indexes are used: if the key has expired it is deleted now, and it may be one of the indexes.
  const abi::DocumentKey document(context, key);
  is_counted_now = is_one_of(name, kCounting);
  index_registry::each_covering(database, key.view(), [&](RegisteredIndex& registered) {
    // A file that is rewritten as commands writes everything again, and so does the copy of a slot.
    const bool is_repeated =
        (is_loading_documents && registered.is_among_documents) || imported_slots::has(registered.place.name);
    const Noting noting = is_one_of(name, kNotWriting) ? Noting::Never : is_repeated ? Noting::IfOther : Noting::Always;
    sync_document(registered, document, key.view(), noting);
    index_upkeep::see_to_dates(registered);
  });
  is_counted_now = false;
}

FieldReader::FieldReader(std::span<const ByteView> names, bool is_json) : names_(names), is_json_(is_json) {
  if (is_json) return;
  for (const ByteView name : names) host_names_.emplace_back(name);
}

std::optional<ShownFields> FieldReader::read(const abi::DocumentKey& document) {
  if (!(is_json_ ? document.is_string() : document.is_hash())) return std::nullopt;
  ShownFields shown;
  bytes_ += names_.size() * kShownFieldBytes;
  if (is_json_) {
    document.string([&](ByteView json) {
      bytes_ += json.size();
      shown = json_documents().show(json, names_);
    });
    return shown;
  }
  shown.reserve(names_.size());
  for (const abi::OwnedString& name : host_names_) {
    auto& each = shown.emplace_back();
    const auto value = document.field(name);
    if (!value) continue;
    each = abi::StringRef(*value).view();
    bytes_ += each->size();
  }
  return shown;
}

}  // namespace millrace::module
