#include "module/abi/document.h"
#include "module/index/index_shows.h"

namespace millrace::module {

namespace {

void number(abi::Reply reply, const char* name, uint64_t value) {
  reply.bytes(name);
  reply.integer(static_cast<int64_t>(value));
}

void text(abi::Reply reply, const char* name, ByteView value) {
  reply.bytes(name);
  reply.bytes(value);
}

const char* name_of_type(FieldType type) {
  return type == FieldType::Integer ? "INTEGER" : type == FieldType::Number ? "NUMBER" : "TEXT";
}

void write_fields(abi::Reply reply, const Index& index) {
  reply.array(index.schema().fields().size());
  for (const IndexField& field : index.schema().fields()) {
    const ByteOrder& entries = index.order(field.id).entries;
    reply.map(7);
    text(reply, "name", field.name);
    text(reply, "type", name_of_type(field.type));
    number(reply, "nocase", field.ignores_case ? 1 : 0);
    number(reply, "unique", field.is_unique ? 1 : 0);
    text(reply, "separator", field.separator);
    number(reply, "entries", entries.size());
    number(reply, "bytes", entries.memory());
  }
}

void write_orders(abi::Reply reply, const Index& index) {
  reply.array(index.schema().orders().size());
  for (const CompositeOrder& order : index.schema().orders()) {
    const ByteOrder& entries = index.order(order.id).entries;
    reply.map(4);
    text(reply, "name", order.name);
    reply.bytes("fields");
    reply.array(order.fields.size());
    for (const std::string& field : order.fields) reply.bytes(field);
    number(reply, "entries", entries.size());
    number(reply, "bytes", entries.memory());
  }
}

const char* state_of(const Index& index) {
  if (index.work() == IndexWork::Build) return "building";
  return index.work() == IndexWork::Verify ? "verifying" : "ready";
}

void write_report(abi::Reply reply, const char* state, const IndexReport& report) {
  reply.map(6);
  text(reply, "state", state);
  number(reply, "checked", report.checked);
  number(reply, "missing", report.missing);
  number(reply, "stale", report.stale);
  number(reply, "wrong", report.wrong);
  number(reply, "repaired", report.repaired);
}

}  // namespace

void IdxInfo::show(abi::Reply reply, const Shown<Index>& shown, NoRequest) {
  if (shown.object == nullptr) return reply.null();
  const Index& index = *shown.object;
  const RegisteredIndex* registered = index_registry::find({shown.database, std::string(shown.name.view())});
  const bool is_swept = registered != nullptr && registered->sweep && !registered->sweep->is_check;
  reply.map(10);
  text(reply, "prefix", index.schema().prefix());
  text(reply, "documents-are", index.schema().is_json() ? "JSON" : "hashes");
  text(reply, "state", state_of(index));
  // How many keys of the database were visited since the building or the comparison began.
  number(reply, "keys-read", is_swept ? registered->sweep->scanned : 0);
  number(reply, "documents", index.documents().size());
  number(reply, "conflicts", index.conflicts());
  number(reply, "skipped", index.skipped());
  number(reply, "bytes", index.memory());
  reply.bytes("fields");
  write_fields(reply, index);
  reply.bytes("orders");
  write_orders(reply, index);
}

void IdxConflicts::show(abi::Reply reply, const Shown<Index>& shown, uint64_t count) {
  const auto conflicts = index_operations().conflicts(shown.object, count);
  if (!conflicts) return reply.error(conflicts.error());
  reply.array(conflicts->size());
  for (const ListedConflict& conflict : *conflicts) {
    reply.array(4);
    reply.bytes(conflict.key);
    reply.bytes(conflict.field);
    reply.bytes(conflict.value);
    reply.bytes(conflict.holder);
  }
}

void IdxSkipped::show(abi::Reply reply, const Shown<Index>& shown, uint64_t count) {
  const auto skipped = index_operations().skipped(shown.object, count);
  if (!skipped) return reply.error(skipped.error());
  reply.array(skipped->size());
  for (const ListedSkip& skip : *skipped) {
    reply.array(3);
    reply.bytes(skip.key);
    skip.field ? reply.bytes(*skip.field) : reply.null();
    reply.bytes(text_of(skip.reason));
  }
}

void idx_check(abi::Context context, abi::Arguments arguments) {
  const abi::Reply reply = context.reply();
  const auto request = parse_idx_check(arguments.views(2));
  if (!request) return reply.error(request.error());
  const DatabaseKey place{context.database(), std::string(arguments[1])};
  const auto key = IndexKey::for_reading(context, arguments.string(1));
  if (!key) return reply.error(key.error());
  RegisteredIndex* registered = index_registry::find(place);
  if (key->get() == nullptr || registered == nullptr) return reply.error(no_index().error());
  if (!key->get()->is_ready()) return write_report(reply, state_of(*key->get()), {});
  if (key->get()->work() != IndexWork::None) return write_report(reply, "running", {});
  if (!registered->checked && registered->sweep && context.is_loading()) {
    index_upkeep::work_on(context, *registered);  // the timer does not
  }
  if (!registered->checked && !registered->sweep) index_upkeep::begin_check(context, *registered, request->repairs);
  if (!registered->checked) return write_report(reply, "running", registered->sweep->report);
  write_report(reply, "done", *registered->checked);
  registered->checked.reset();
}

}  // namespace millrace::module
