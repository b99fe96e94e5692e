// A C++ type as a key type of the host. A family specialises TypeTraits for its type; all callbacks of the host are
// derived from it.
//
//   template <> struct TypeTraits<Log> {
//     static constexpr const char* kName = "millr-log";  // nine characters, unique
//     static constexpr int kEncodingVersion = 1;
//     static std::optional<Log> load(RdbReader&, int encoding_version);  // nullopt: refused
//     static void save(RdbWriter&, const Log&);
//     static void rewrite(AofWriter&, const Log&);
//     static void digest(DigestWriter&, const Log&);
//     static uint64_t memory(const Log&);
//     static uint64_t free_effort(const Log&);           // approximate number of allocations
//     static Log copy(const Log&);
//   };
//
// and, if it needs them:
//
//     struct Notes;                                     // this server's notes about a key: see Hosted
//     // The object was loaded, or appeared under another name. The database may be staged (staging.h).
//     static void arrived(const KeyPlace&, Hosted<Log>&);
//     static void left(const KeyPlace&, Hosted<Log>&);  // the object is removed from its database
//     static void release(Log&);                        // the object is freed, on any thread
//     // Reads data that an older version wrote to an RDB file besides the keys. It is no longer written, because a
//     // server without the module could not read the file. False: refused.
//     static bool load_aux(RdbReader&, int encoding_version);
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "engine/base/buffer.h"
#include "engine/base/digest_sink.h"
#include "engine/base/error.h"
#include "module/abi/context.h"
#include "module/abi/host.h"
#include "module/abi/host_events.h"
#include "module/abi/staging.h"

namespace millrace::abi {

class RdbWriter {
 public:
  explicit RdbWriter(HostIo* io) : io_(io) {}
  void bytes(ByteView bytes) { host.SaveStringBuffer(io_, bytes.data(), bytes.size()); }

 private:
  HostIo* io_;
};

class RdbReader {
 public:
  explicit RdbReader(HostIo* io) : io_(io) {}

  // The next string. Failure: Corrupt, if the payload has ended or the next value is not a string.
  Result<Buffer> bytes();

  // Writes to the log why a payload is refused.
  void refuse(const char* type, const Error& error);

  // The key that is being loaded, and its database.
  ByteView key() const;
  int database() const { return host.GetDbIdFromIO(io_); }

 private:
  HostIo* io_;
};

class AofWriter {
 public:
  AofWriter(HostIo* io, HostString* key) : io_(io), key_(key) {}

  // One command of the form: command key [what] part [part].
  void emit(const char* command, ByteView part) { host.EmitAOF(io_, command, "sb", key_, part.data(), part.size()); }
  void emit(const char* command, const char* what, ByteView part) {
    host.EmitAOF(io_, command, "scb", key_, what, part.data(), part.size());
  }
  void emit(const char* command, const char* what, ByteView part, ByteView other) {
    host.EmitAOF(io_, command, "scbb", key_, what, part.data(), part.size(), other.data(), other.size());
  }

 private:
  HostIo* io_;
  HostString* key_;
};

class DigestWriter final : public DigestSink {
 public:
  explicit DigestWriter(HostDigest* digest) : digest_(digest) {}
  void bytes(ByteView bytes) override { host.DigestAddStringBuffer(digest_, bytes.data(), bytes.size()); }
  void number(uint64_t value) override { host.DigestAddLongLong(digest_, static_cast<long long>(value)); }
  void end() { host.DigestEndSequence(digest_); }

 private:
  HostDigest* digest_;
};

// The place of the key in a callback of the host. The name is borrowed until the callback returns.
struct KeyPlace {
  int database;
  ByteView name;
};
KeyPlace place_of(HostKeyOptions* key);

// Our types have numbers, in the order in which they are created. `arrived` is null if the type has no such function.
uint8_t add_type(HostType* type, Arrived arrived);
// The type of the key's value; nullopt: none of our types.
std::optional<uint8_t> type_number(HostKey* key);
std::optional<uint8_t> type_number(Context context, StringRef name);

// The key in the context's database arrives again: what was noted about it before is no longer valid. Does nothing if
// it has no type of ours.
void arrive_again(Context context, StringRef name);

// Tells the listener that a key of one of our types is being taken out of its database.
void key_left(const KeyPlace& place);

template <class T>
struct TypeTraits;

// The value of a key: the object, and this server's notes about it, which are neither saved nor copied.
struct NoNotes {};
template <class T>
struct NotesOf {
  using Type = NoNotes;
};
template <class T>
requires requires { typename TypeTraits<T>::Notes; }
struct NotesOf<T> {
  using Type = typename TypeTraits<T>::Notes;
};
template <class T>
struct Hosted {
  explicit Hosted(T&& given) : object(std::move(given)) {}

  T object;
  [[no_unique_address]] typename NotesOf<T>::Type notes;
};

template <class T>
class DataType {
 public:
  // Called once, when the module is loaded. False if the host refuses the type.
  static bool create(HostContext* loading) {
    HostTypeMethods methods{};
    methods.version = kTypeMethodsVersion;
    methods.rdb_load = [](HostIo* io, int version) -> void* {
      RdbReader reader(io);
      std::optional<T> object = Traits::load(reader, version);
      if (!object) return nullptr;
      watch_host();
      auto loaded = std::make_unique<Hosted<T>>(std::move(*object));
      if (arrived() != nullptr) value_loaded(reader.database(), reader.key(), loaded.get(), arrived());
      return loaded.release();
    };
    methods.rdb_save = [](HostIo* io, void* value) {
      RdbWriter writer(io);
      Traits::save(writer, object_of(value));
    };
    methods.aof_rewrite = [](HostIo* io, HostString* key, void* value) {
      AofWriter writer(io, key);
      Traits::rewrite(writer, object_of(value));
    };
    methods.digest = [](HostDigest* digest, void* value) {
      DigestWriter writer(digest);
      Traits::digest(writer, object_of(value));
      writer.end();
    };
    methods.free = [](void* value) {
      if (arrived() != nullptr) value_freed(value);
      const std::unique_ptr<Hosted<T>> owned(static_cast<Hosted<T>*>(value));
      if constexpr (requires { Traits::release(owned->object); }) Traits::release(owned->object);
    };
    methods.mem_usage2 = [](HostKeyOptions*, const void* value, size_t) -> size_t {
      return sizeof(Hosted<T>) - sizeof(T) + Traits::memory(object_of(value));
    };
    methods.free_effort2 = [](HostKeyOptions*, const void* value) -> size_t {
      return Traits::free_effort(object_of(value));
    };
    methods.unlink2 = [](HostKeyOptions* key, const void* value) {
      const KeyPlace place = place_of(key);
      // The value is the host's own and not const; the callback's type only says const. So its notes may be changed.
      if constexpr (requires(Hosted<T> & left) { Traits::left(place, left); }) {
        Traits::left(place, *static_cast<Hosted<T>*>(const_cast<void*>(value)));
      }
      key_left(place);
    };
    methods.copy2 = [](HostKeyOptions*, const void* value) -> void* {
      return new Hosted<T>(Traits::copy(object_of(value)));
    };
    if constexpr (requires(RdbReader & reader) { Traits::load_aux(reader, 0); }) {
      methods.aux_load = [](HostIo* io, int version, int) {
        RdbReader reader(io);
        return Traits::load_aux(reader, version) ? kOk : kErr;
      };
    }
    handle_ = host.CreateDataType(loading, Traits::kName, Traits::kEncodingVersion, &methods);
    if (handle_ != nullptr) number_ = add_type(handle_, arrived());
    return handle_ != nullptr;
  }

  static HostType* handle() { return handle_; }
  static uint8_t number() { return number_; }

 private:
  using Traits = TypeTraits<T>;

  // Calls Traits::arrived for a value as it is without notes. Null if there is no such function.
  static constexpr Arrived arrived() {
    if constexpr (requires(const KeyPlace& place, Hosted<T>& value) { Traits::arrived(place, value); }) {
      return [](int database, ByteView name, void* value) {
        auto& hosted = *static_cast<Hosted<T>*>(value);
        hosted.notes = {};
        Traits::arrived({database, name}, hosted);
      };
    } else {
      return nullptr;
    }
  }

  static const T& object_of(const void* value) { return static_cast<const Hosted<T>*>(value)->object; }

  static inline HostType* handle_ = nullptr;
  static inline uint8_t number_ = 0;
};

// The error with the host's own text.
[[gnu::cold]] std::unexpected<Error> wrong_type();

// An open key that has a T or does not exist.
template <class T>
class TypedKey {
 public:
  TypedKey(TypedKey&& other) noexcept
      : key_(std::exchange(other.key_, nullptr)), value_(std::exchange(other.value_, nullptr)) {}
  TypedKey(const TypedKey&) = delete;
  TypedKey& operator=(const TypedKey&) = delete;
  ~TypedKey() {
    if (key_ != nullptr) host.CloseKey(key_);
  }

  // Failure: WrongType.
  static Result<TypedKey> for_reading(Context context, StringRef name) { return open(context, name, kRead); }
  static Result<TypedKey> for_writing(Context context, StringRef name) { return open(context, name, kRead | kWrite); }
  // For background work, which does not count as a use of the key: its idle time is not reset.
  static Result<TypedKey> for_upkeep(Context context, StringRef name) {
    return open(context, name, kRead | kWrite | kNoTouch);
  }

  // No key: always empty.
  static TypedKey none() { return TypedKey(nullptr, nullptr); }

  // The value, or null if there is no such key.
  T* get() const { return value_ == nullptr ? nullptr : &value_->object; }
  // REQUIRES: there is a value.
  auto& notes() const { return value_->notes; }
  Hosted<T>& hosted() const { return *value_; }

  // When the host deletes the key; nullopt if never.
  std::optional<UnixMs> expires_at() const {
    const long long date = key_ == nullptr ? -1 : host.GetAbsExpire(key_);
    return date < 0 ? std::nullopt : std::optional(UnixMs(static_cast<uint64_t>(date)));
  }
  // REQUIRES: opened for writing; it has a value.
  void expire_at(UnixMs date) { host.SetAbsExpire(key_, static_cast<long long>(date.value())); }

  // REQUIRES: opened for writing.
  void set(T&& object) {
    value_ = new Hosted<T>(std::move(object));
    host.ModuleTypeSetValue(key_, DataType<T>::handle(), value_);
  }

  // Deletes the key; a large value is freed in the background.
  // REQUIRES: opened for writing, and there is a value.
  void remove() {
    value_ = nullptr;
    host.UnlinkKey(key_);
  }

 private:
  TypedKey(HostKey* key, Hosted<T>* value) : key_(key), value_(value) {}

  static Result<TypedKey> open(Context context, StringRef name, int mode) {
    HostKey* key = host.OpenKey(context.handle(), name.handle(), mode);
    if (key == nullptr) return none();
    // The most likely case is checked first, because each check is a call of the host.
    if (host.ModuleTypeGetType(key) == DataType<T>::handle()) [[likely]] {
      return TypedKey(key, static_cast<Hosted<T>*>(host.ModuleTypeGetValue(key)));
    }
    if (host.KeyType(key) == kKeyTypeEmpty) return TypedKey(key, nullptr);
    host.CloseKey(key);
    return wrong_type();
  }

  HostKey* key_;
  Hosted<T>* value_;
};

}  // namespace millrace::abi
