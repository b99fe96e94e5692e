// The module ABI of Redis and Valkey as far as we use it: our own declarations of
// documented functions, bound by name when the module loads. The numbers below are
// the host's and must not change.
//
// Nothing outside module/abi includes this header.
#pragma once

#include <cstddef>
#include <cstdint>

namespace millrace::abi {

// --- things the host owns ---
struct HostContext;
struct HostKey;
struct HostString;
struct HostIo;
struct HostDigest;
struct HostType;
struct HostBlockedClient;
struct HostInfo;
struct HostCommand;
struct HostKeyOptions;
struct HostUser;
struct HostCallReply;
struct HostScanCursor;

inline constexpr int kOk = 0;
inline constexpr int kErr = 1;
inline constexpr int kApiVersion = 1;

// --- keys ---
inline constexpr int kRead = 1 << 0;
inline constexpr int kWrite = 1 << 1;
inline constexpr int kNoTouch = 1 << 16;
inline constexpr int kKeyTypeEmpty = 0;
inline constexpr int kKeyTypeString = 1;
inline constexpr int kKeyTypeHash = 3;

// --- flags of a context ---
inline constexpr int kFlagScript = 1 << 0;
inline constexpr int kFlagMulti = 1 << 1;
inline constexpr int kFlagMaster = 1 << 2;
inline constexpr int kFlagReadOnly = 1 << 4;
inline constexpr int kFlagCluster = 1 << 5;
inline constexpr int kFlagOutOfMemory = 1 << 10;
inline constexpr int kFlagReplicated = 1 << 12;
inline constexpr int kFlagLoading = 1 << 13;
inline constexpr int kFlagActiveChild = 1 << 18;
inline constexpr int kFlagDenyBlocking = 1 << 21;
inline constexpr int kFlagAsyncLoading = 1 << 23;

// --- keyspace events ---
inline constexpr int kNotifyGeneric = 1 << 2;
inline constexpr int kNotifyModule = 1 << 13;
// Redis 8.4: a key is deleted because its slot has moved to another node. A host that is asked for these events deletes
// such keys one by one, on the main thread, instead of all at once on another one.
inline constexpr int kNotifyTrimmed = 1 << 17;
// Generic events, those of every type, expired and evicted keys.
inline constexpr int kNotifyKeys =
    1 << 2 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 6 | 1 << 7 | 1 << 8 | 1 << 9 | 1 << 10 | kNotifyModule;

// --- module options ---
inline constexpr int kHandleIoErrors = 1 << 0;
inline constexpr int kNoImplicitSignalModified = 1 << 1;
inline constexpr int kHandleStaging = 1 << 2;      // staging.h
inline constexpr int kHandleMovingSlots = 1 << 5;  // Valkey 9: slots may move by themselves

// --- settings ---
inline constexpr unsigned kSettingDefault = 0;
inline constexpr unsigned kSettingMemory = 1 << 7;

inline constexpr long kPostponedLength = -1;
inline constexpr int kReplyArray = 3;

// --- server events ---
struct HostEvent {
  uint64_t id;
  uint64_t data_version;
};
inline constexpr HostEvent kEventRoleChanged{0, 1};
inline constexpr HostEvent kEventFlushed{2, 1};
inline constexpr HostEvent kEventLoading{3, 1};
inline constexpr HostEvent kEventClientChanged{4, 1};
inline constexpr HostEvent kEventCron{8, 1};
inline constexpr HostEvent kEventSwapDb{11, 1};
inline constexpr HostEvent kEventStaging{14, 1};
inline constexpr HostEvent kEventLoop{15, 1};
// Whole slots move. Two hosts, two numbers; either number is another event on the other host.
inline constexpr HostEvent kEventSlotsMoveInRedis{18, 1};   // 8.4
inline constexpr HostEvent kEventSlotsMoveInValkey{19, 1};  // 9.0
inline constexpr uint64_t kLoopBeforeSleep = 0;
inline constexpr uint64_t kClientDisconnects = 1;
inline constexpr uint64_t kRoleNowMaster = 0;
inline constexpr uint64_t kFlushEnded = 1;
inline constexpr uint64_t kRedisImportStarted = 0;
inline constexpr uint64_t kRedisImportFailed = 1;
inline constexpr uint64_t kRedisImportCompleted = 2;
inline constexpr uint64_t kValkeyImportStarted = 0;
inline constexpr uint64_t kValkeyImportAborted = 2;
inline constexpr uint64_t kValkeyImportCompleted = 4;
inline constexpr uint64_t kLoadingEnded = 3;  // smaller values: loading begins
inline constexpr uint64_t kLoadingFailed = 4;
inline constexpr uint64_t kStagingStarted = 0;
inline constexpr uint64_t kStagingAborted = 1;
inline constexpr uint64_t kStagingCompleted = 2;

struct HostCronInfo {
  uint64_t version;
  int32_t hz;
};

// The first fields of the host's information about a client.
struct HostClientInfo {
  uint64_t version;
  uint64_t flags;
  uint64_t id;
};

struct HostFlushInfo {
  uint64_t version;
  int32_t sync;
  int32_t database;  // -1: all
};

struct HostSwapDbInfo {
  uint64_t version;
  int32_t first;
  int32_t second;
};

// Both ends of a range of slots belong to it.
struct RedisSlotRange {
  uint16_t first;
  uint16_t last;
};
struct RedisSlotRanges {
  int32_t count;  // so many RedisSlotRange follow in memory
};
struct RedisSlotsMoveInfo {
  uint64_t version;
  char source[41];
  char target[41];
  const char* job;
  const RedisSlotRanges* slots;
};
struct ValkeySlotRange {
  int first;
  int last;
};
struct ValkeySlotsMoveInfo {
  uint64_t version;
  char job[41];
  const ValkeySlotRange* ranges;
  uint32_t count;
};

// --- callbacks ---
using CommandCallback = int (*)(HostContext*, HostString**, int);
using EventCallback = void (*)(HostContext*, HostEvent, uint64_t subevent, void* data);
using NotificationCallback = int (*)(HostContext*, int type, const char* event, HostString* key);
using ScanCallback = void (*)(HostContext*, HostString* name, HostKey*, void* data);
using TimerCallback = void (*)(HostContext*, void* data);
using InfoCallback = void (*)(HostInfo*, int for_crash_report);
using DisconnectCallback = void (*)(HostContext*, HostBlockedClient*);
using FreePrivateCallback = void (*)(HostContext*, void*);
using GetNumericCallback = long long (*)(const char* name, void* data);
using SetNumericCallback = int (*)(const char* name, long long value, void* data, HostString** error);
using GetYesNoCallback = int (*)(const char* name, void* data);
using SetYesNoCallback = int (*)(const char* name, int value, void* data, HostString** error);
using ApplyCallback = int (*)(HostContext*, void* data, HostString** error);

// --- a key type ---
struct HostTypeMethods {
  uint64_t version;
  void* (*rdb_load)(HostIo*, int encoding_version);
  void (*rdb_save)(HostIo*, void* value);
  void (*aof_rewrite)(HostIo*, HostString* key, void* value);
  size_t (*mem_usage)(const void* value);
  void (*digest)(HostDigest*, void* value);
  void (*free)(void* value);
  int (*aux_load)(HostIo*, int encoding_version, int when);
  void (*aux_save)(HostIo*, int when);
  int aux_save_triggers;
  size_t (*free_effort)(HostString* key, const void* value);
  void (*unlink)(HostString* key, const void* value);
  void* (*copy)(HostString* from, HostString* to, const void* value);
  int (*defrag)(void* context, HostString* key, void** value);
  size_t (*mem_usage2)(HostKeyOptions*, const void* value, size_t samples);
  size_t (*free_effort2)(HostKeyOptions*, const void* value);
  void (*unlink2)(HostKeyOptions*, const void* value);
  void* (*copy2)(HostKeyOptions*, const void* value);
};
inline constexpr uint64_t kTypeMethodsVersion = 4;

// --- data for COMMAND DOCS and COMMAND GETKEYS ---
enum class ArgumentKind : int { String, Integer, Double, Key, Pattern, UnixTime, PureToken, OneOf, Block };
inline constexpr int kArgumentOptional = 1 << 0;
inline constexpr int kArgumentMultiple = 1 << 1;
inline constexpr int kArgumentMultipleToken = 1 << 2;  // the token is repeated each time

struct HostArgument {
  const char* name;
  ArgumentKind kind;
  int key_spec_index;  // -1 unless a key
  const char* token;
  const char* summary;
  const char* since;
  int flags;
  const char* deprecated_since;
  HostArgument* parts;
  const char* display_text;  // read by Redis 7.2 and Valkey; ignored by 7.0
};

inline constexpr uint64_t kKeyReadOnly = 1 << 0;
inline constexpr uint64_t kKeyReadWrite = 1 << 1;
inline constexpr uint64_t kKeyAccess = 1 << 4;
inline constexpr uint64_t kKeyUpdate = 1 << 5;
inline constexpr uint64_t kKeyInsert = 1 << 6;
inline constexpr uint64_t kKeyDelete = 1 << 7;
inline constexpr uint64_t kKeyIncomplete = 1 << 9;
inline constexpr int kBeginSearchIndex = 2;
inline constexpr int kFindKeysRange = 2;

struct HostKeySpec {
  const char* notes;
  uint64_t flags;
  int begin_search_type;
  union {
    struct {
      int position;
    } index;
    struct {
      const char* keyword;
      int start_from;
    } keyword;
  } begin_search;
  int find_keys_type;
  union {
    struct {
      int last_key;
      int key_step;
      int limit;
    } range;
    struct {
      int number_index;
      int first_key;
      int key_step;
    } key_number;
  } find_keys;
};

struct HostHistoryEntry {
  const char* since;
  const char* changes;
};

struct HostCommandInfoVersion {
  int version;
  size_t history_entry_size;
  size_t key_spec_size;
  size_t argument_size;
};

struct HostCommandInfo {
  const HostCommandInfoVersion* version;
  const char* summary;
  const char* complexity;
  const char* since;
  HostHistoryEntry* history;
  const char* tips;
  int arity;
  HostKeySpec* key_specs;
  HostArgument* arguments;
};

// --- the functions, in one list: name, result, parameters ---
// clang-format off
#define MILLRACE_HOST_FUNCTIONS(F)                                                                                 \
  F(Log, void, (HostContext*, const char* level, const char* format, ...))                                         \
  F(Alloc, void*, (size_t))                                                                                        \
  F(Free, void, (void*))                                                                                           \
  F(SetModuleAttribs, void, (HostContext*, const char* name, int version, int api_version))                        \
  F(SetModuleOptions, void, (HostContext*, int options))                                                           \
  F(GetServerVersion, int, ())                                                                                     \
  F(CreateCommand, int, (HostContext*, const char* name, CommandCallback, const char* flags, int, int, int))       \
  F(CreateSubcommand, int, (HostCommand*, const char* name, CommandCallback, const char* flags, int, int, int))    \
  F(GetCommand, HostCommand*, (HostContext*, const char* name))                                                    \
  F(SetCommandInfo, int, (HostCommand*, const HostCommandInfo*))                                                   \
  F(CreateDataType, HostType*, (HostContext*, const char* name, int encoding_version, HostTypeMethods*))           \
  F(RegisterNumericConfig, int, (HostContext*, const char* name, long long initial, unsigned flags, long long min, \
                                 long long max, GetNumericCallback, SetNumericCallback, ApplyCallback, void*))     \
  F(RegisterBoolConfig, int, (HostContext*, const char* name, int initial, unsigned flags, GetYesNoCallback,       \
                              SetYesNoCallback, ApplyCallback, void*))                                             \
  F(LoadConfigs, int, (HostContext*))                                                                              \
  F(RegisterInfoFunc, int, (HostContext*, InfoCallback))                                                           \
  F(InfoAddSection, int, (HostInfo*, const char* name))                                                            \
  F(InfoAddFieldULongLong, int, (HostInfo*, const char* field, unsigned long long value))                          \
  F(SubscribeToServerEvent, int, (HostContext*, HostEvent, EventCallback))                                         \
  F(SubscribeToKeyspaceEvents, int, (HostContext*, int types, NotificationCallback))                               \
  F(GetDetachedThreadSafeContext, HostContext*, (HostContext*))                                                    \
  F(GetContextFlags, int, (HostContext*))                                                                          \
  F(GetUsedMemoryRatio, float, ())                                                                                 \
  F(GetClientId, unsigned long long, (HostContext*))                                                               \
  F(GetClientUserNameById, HostString*, (HostContext*, uint64_t id))                                               \
  F(GetCurrentUserName, HostString*, (HostContext*))                                                               \
  F(GetModuleUserFromUserName, HostUser*, (HostString*))                                                           \
  F(FreeModuleUser, int, (HostUser*))                                                                              \
  F(ACLCheckCommandPermissions, int, (HostUser*, HostString** words, int count))                                   \
  F(ACLCheckKeyPermissions, int, (HostUser*, HostString* key, int flags))                                          \
  F(AvoidReplicaTraffic, int, ())                                                                                  \
  F(GetSelectedDb, int, (HostContext*))                                                                            \
  F(GetDbIdFromModuleKey, int, (HostKey*))                                                                         \
  F(SelectDb, int, (HostContext*, int))                                                                            \
  F(Milliseconds, long long, ())                                                                                   \
  F(CreateString, HostString*, (HostContext*, const char*, size_t))                                                \
  F(FreeString, void, (HostContext*, HostString*))                                                                 \
  F(HoldString, HostString*, (HostContext*, HostString*))                                                          \
  F(StringPtrLen, const char*, (const HostString*, size_t*))                                                       \
  F(OpenKey, HostKey*, (HostContext*, HostString* name, int mode))                                                 \
  F(CloseKey, void, (HostKey*))                                                                                    \
  F(UnlinkKey, int, (HostKey*))                                                                                    \
  F(KeyType, int, (HostKey*))                                                                                      \
  F(ModuleTypeGetType, HostType*, (HostKey*))                                                                      \
  F(ModuleTypeGetValue, void*, (HostKey*))                                                                         \
  F(ModuleTypeSetValue, int, (HostKey*, HostType*, void*))                                                         \
  F(HashGet, int, (HostKey*, int flags, ...))                                                                      \
  F(StringDMA, char*, (HostKey*, size_t* size, int mode))                                                          \
  F(ValueLength, size_t, (HostKey*))                                                                               \
  F(DbSize, unsigned long long, (HostContext*))                                                                    \
  F(ScanCursorCreate, HostScanCursor*, ())                                                                         \
  F(ScanCursorDestroy, void, (HostScanCursor*))                                                                    \
  F(Scan, int, (HostContext*, HostScanCursor*, ScanCallback, void* data))                                          \
  F(SetAbsExpire, int, (HostKey*, long long unix_ms))                                                              \
  F(GetAbsExpire, long long, (HostKey*))                                                                           \
  F(IsKeysPositionRequest, int, (HostContext*))                                                                    \
  F(KeyAtPosWithFlags, void, (HostContext*, int position, int flags))                                              \
  F(GetRandomBytes, void, (unsigned char* to, size_t count))                                                       \
  F(SignalModifiedKey, int, (HostContext*, HostString*))                                                           \
  F(SignalKeyAsReady, int, (HostContext*, HostString*))                                                            \
  F(NotifyKeyspaceEvent, int, (HostContext*, int type, const char* event, HostString* key))                        \
  F(Call, HostCallReply*, (HostContext*, const char* command, const char* format, ...))                            \
  F(FreeCallReply, void, (HostCallReply*))                                                                         \
  F(CallReplyStringPtr, const char*, (HostCallReply*, size_t* size))                                               \
  F(CallReplyLength, size_t, (HostCallReply*))                                                                     \
  F(CallReplyType, int, (HostCallReply*))                                                                          \
  F(CallReplyInteger, long long, (HostCallReply*))                                                                 \
  F(CallReplyArrayElement, HostCallReply*, (HostCallReply*, size_t))                                               \
  F(ReplyWithCallReply, int, (HostContext*, HostCallReply*))                                                       \
  F(Replicate, int, (HostContext*, const char* command, const char* format, ...))                                  \
  F(ReplicateVerbatim, int, (HostContext*))                                                                        \
  F(ReplyWithLongLong, int, (HostContext*, long long))                                                             \
  F(ReplyWithStringBuffer, int, (HostContext*, const char*, size_t))                                               \
  F(ReplyWithSimpleString, int, (HostContext*, const char*))                                                       \
  F(ReplyWithError, int, (HostContext*, const char*))                                                              \
  F(ReplyWithArray, int, (HostContext*, long))                                                                     \
  F(ReplySetArrayLength, void, (HostContext*, long))                                                               \
  F(ReplyWithMap, int, (HostContext*, long))                                                                       \
  F(ReplyWithNull, int, (HostContext*))                                                                            \
  F(ReplyWithNullArray, int, (HostContext*))                                                                       \
  F(BlockClientOnKeys, HostBlockedClient*, (HostContext*, CommandCallback reply, CommandCallback timeout,          \
                                            FreePrivateCallback, long long timeout_ms, HostString** keys,          \
                                            int key_count, void* data))                                            \
  F(BlockClient, HostBlockedClient*, (HostContext*, CommandCallback reply, CommandCallback timeout,                \
                                      FreePrivateCallback, long long timeout_ms))                                  \
  F(GetBlockedClientHandle, HostBlockedClient*, (HostContext*))                                                    \
  F(UnblockClient, int, (HostBlockedClient*, void* data))                                                          \
  F(SetDisconnectCallback, void, (HostBlockedClient*, DisconnectCallback))                                         \
  F(GetBlockedClientPrivateData, void*, (HostContext*))                                                            \
  F(CreateTimer, uint64_t, (HostContext*, long long period_ms, TimerCallback, void*))                              \
  F(StopTimer, int, (HostContext*, uint64_t id, void** data))                                                      \
  F(SaveStringBuffer, void, (HostIo*, const char*, size_t))                                                        \
  F(LoadStringBuffer, char*, (HostIo*, size_t*))                                                                   \
  F(IsIOError, int, (HostIo*))                                                                                     \
  F(LogIOError, void, (HostIo*, const char* level, const char* format, ...))                                       \
  F(GetKeyNameFromIO, const HostString*, (HostIo*))                                                                \
  F(GetDbIdFromIO, int, (HostIo*))                                                                                 \
  F(GetKeyNameFromOptCtx, const HostString*, (HostKeyOptions*))                                                    \
  F(GetDbIdFromOptCtx, int, (HostKeyOptions*))                                                                     \
  F(EmitAOF, void, (HostIo*, const char* command, const char* format, ...))                                        \
  F(DigestAddStringBuffer, void, (HostDigest*, const char*, size_t))                                               \
  F(DigestAddLongLong, void, (HostDigest*, long long))                                                             \
  F(DigestEndSequence, void, (HostDigest*))

// Functions that only newer hosts have; null on the others.
#define MILLRACE_OPTIONAL_HOST_FUNCTIONS(F)                                                                        \
  F(SetCommandACLCategories, int, (HostCommand*, const char* categories)) /* Redis 7.2, Valkey 7.2 */              \
  F(ClusterCanAccessKeysInSlot, int, (int slot))                          /* Redis 8.4 */                          \
  F(ACLCheckPermissions, int, (HostUser*, HostString** words, int count, int database, int* reason)) /* Valkey 9.1 */
// clang-format on

struct HostFunctions {
// NOLINTNEXTLINE(bugprone-macro-parentheses): its arguments are no expressions.
#define MILLRACE_DECLARE(name, result, parameters) result(*name) parameters = nullptr;
  MILLRACE_HOST_FUNCTIONS(MILLRACE_DECLARE)
  MILLRACE_OPTIONAL_HOST_FUNCTIONS(MILLRACE_DECLARE)
#undef MILLRACE_DECLARE
};

// All null until bind(); never changed after that.
extern constinit HostFunctions host;

// Looks up every function by its name; the optional ones may be missing. If another one is missing, writes its name to
// the host's log (or to stderr, if the missing function is the log itself) and returns false.
bool bind(HostContext* context);

}  // namespace millrace::abi
