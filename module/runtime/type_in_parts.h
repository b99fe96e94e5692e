// RDB, DUMP, RESTORE, AOF rewrite, digest and COPY of every type whose objects are sequences of parts
// (engine/base/parts.h). A family's TypeTraits derive from TypeInParts and define:
//
//   static constexpr SavedType kSaved{…};
//   static LogRestorer restorer();
//
// and, if it needs them:
//
//   static void each_part(const Log&, const PartVisit&);   // instead of the engine's
//   static constexpr int kFirstInParts = 3;                // the first version in parts, if it is not the last
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "engine/base/parts.h"
#include "module/abi/data_type.h"

namespace millrace::module {

struct SavedType {
  const char* called;  // name of the type in the server's log
  const char* point;   // prefix of the names of its failure points (failure_point.h)
  const char* apply;   // the command that adds a part, in a rewritten AOF
  std::span<const PartKind> parts;
};

using EachPart = std::function<void(const PartVisit& visit)>;
using AddPart = std::function<Result<void>(uint8_t kind, ByteView bytes, Buffer block)>;

void save_parts(abi::RdbWriter& writer, const SavedType& type, const EachPart& each);
void rewrite_parts(abi::AofWriter& writer, const SavedType& type, const EachPart& each);
Result<void> load_parts(abi::RdbReader& reader, const SavedType& type, const AddPart& add);
// Counts a refused payload, and writes the reason to the server's log.
void refuse(abi::RdbReader& reader, const SavedType& type, const Error& error);

// The engine's functions for each type, under names that the members below do not hide.
template <class Object>
void visit_parts(const Object& object, const PartVisit& visit) {
  each_part(object, visit);
}
template <class Object>
void add_to_digest(const Object& object, DigestSink& sink) {
  digest(object, sink);
}

template <class Object>
struct TypeInParts {
  static void each_part(const Object& object, const PartVisit& visit) { visit_parts(object, visit); }

  static void save(abi::RdbWriter& writer, const Object& object) {
    using Traits = abi::TypeTraits<Object>;
    save_parts(writer, Traits::kSaved, [&](const PartVisit& visit) { Traits::each_part(object, visit); });
  }
  static void rewrite(abi::AofWriter& writer, const Object& object) {
    using Traits = abi::TypeTraits<Object>;
    rewrite_parts(writer, Traits::kSaved, [&](const PartVisit& visit) { Traits::each_part(object, visit); });
  }

  // nullopt: refused.
  static std::optional<Object> load(abi::RdbReader& reader, int version) {
    auto object = restored(reader, version);
    if (object) return std::move(*object);
    refuse(reader, abi::TypeTraits<Object>::kSaved, object.error());
    return std::nullopt;
  }

  // Uses clone() if the type has one, because it is faster.
  static Object copy(const Object& object) {
    if constexpr (requires { object.clone(); }) {
      return object.clone();
    } else {
      auto restorer = abi::TypeTraits<Object>::restorer();
      // Our own parts can always be read.
      abi::TypeTraits<Object>::each_part(object, [&](const Part& part) {
        static_cast<void>(restorer.add(part.kind, part.bytes, Buffer::copy_of(part.block)));
      });
      return std::move(*restorer.finish());
    }
  }

  static void digest(abi::DigestWriter& writer, const Object& object) { add_to_digest(object, writer); }
  static uint64_t memory(const Object& object) { return object.memory(); }

 private:
  template <class Traits>
  static constexpr int first_in_parts() {
    if constexpr (requires { Traits::kFirstInParts; }) {
      return Traits::kFirstInParts;
    } else {
      return Traits::kEncodingVersion;
    }
  }

  static Result<Object> restored(abi::RdbReader& reader, int version) {
    using Traits = abi::TypeTraits<Object>;
    auto restorer = Traits::restorer();
    Result<void> read = fail(ErrorCode::Corrupt, "written by a newer version of the module");
    if (version >= first_in_parts<Traits>() && version <= Traits::kEncodingVersion) {
      read = load_parts(reader, Traits::kSaved, [&](uint8_t kind, ByteView bytes, Buffer block) {
        return restorer.add(kind, bytes, std::move(block));
      });
    } else if constexpr (requires(const NextString& next) { restorer.add_older(next); }) {
      if (version < first_in_parts<Traits>()) read = restorer.add_older([&] { return reader.bytes(); });
    }
    if (!read) return std::unexpected(read.error());
    return restorer.finish();
  }
};

}  // namespace millrace::module
