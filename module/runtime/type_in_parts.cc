#include "module/runtime/type_in_parts.h"

#include "module/runtime/counters.h"
#include "module/runtime/failure_point.h"

namespace millrace::module {

void save_parts(abi::RdbWriter& writer, const SavedType& type, const EachPart& each) {
  each([&](const Part& part) {
    write_part(type.parts, part, [&](ByteView string) {
      writer.bytes(string);
      failure_point(type.point, "save", type.parts[part.kind].word);
    });
  });
  writer.bytes(kEndOfParts);
}

void rewrite_parts(abi::AofWriter& writer, const SavedType& type, const EachPart& each) {
  each([&](const Part& part) {
    const PartKind& kind = type.parts[part.kind];
    failure_point(type.point, "rewrite", kind.word);
    if (kind.word == nullptr) {
      writer.emit(type.apply, part.bytes);
    } else if (kind.has_block) {
      writer.emit(type.apply, kind.word, part.bytes, part.block);
    } else {
      writer.emit(type.apply, kind.word, part.bytes);
    }
  });
}

Result<void> load_parts(abi::RdbReader& reader, const SavedType& type, const AddPart& add) {
  return read_parts(
      type.parts, [&] { return reader.bytes(); },
      [&](uint8_t kind, ByteView bytes, Buffer block) {
        failure_point(type.point, "load", type.parts[kind].word);
        return add(kind, bytes, std::move(block));
      });
}

void refuse(abi::RdbReader& reader, const SavedType& type, const Error& error) {
  ++counters.refused_payloads;
  reader.refuse(type.called, error);
}

}  // namespace millrace::module
