// A module of someone else, whose command CALL.AS flags command [word ...] calls another command with these flags and
// passes the answer on; if the host refuses without an answer, "refused".
#include <stddef.h>

typedef struct Context Context;
typedef struct String String;
typedef struct Reply Reply;
typedef int (*Command)(Context*, String**, int);

static void (*SetModuleAttribs)(Context*, const char* name, int version, int api);
static int (*CreateCommand)(Context*, const char* name, Command, const char* flags, int, int, int);
static const char* (*StringPtrLen)(const String*, size_t*);
static Reply* (*Call)(Context*, const char* command, const char* format, ...);
static int (*ReplyWithCallReply)(Context*, Reply*);
static int (*ReplyWithError)(Context*, const char*);
static void (*FreeCallReply)(Reply*);

static int call_as(Context* context, String** words, int count) {
  char format[16] = "v";
  const char* flags = StringPtrLen(words[1], NULL);
  for (size_t i = 0; flags[i] != 0 && i < sizeof format - 2; ++i) format[i + 1] = flags[i];
  Reply* reply = Call(context, StringPtrLen(words[2], NULL), format, words + 3, (size_t)(count - 3));
  if (reply == NULL) return ReplyWithError(context, "ERR refused");
  ReplyWithCallReply(context, reply);
  FreeCallReply(reply);
  return 0;
}

__attribute__((visibility("default"))) int RedisModule_OnLoad(Context* context, String** words, int count) {
  (void)words;
  (void)count;
  // The first member of a context that loads a module is the function that finds the others.
  int (*get)(const char*, void*) = *(int (**)(const char*, void*))context;
#define GET(name) get("RedisModule_" #name, &name)
  GET(SetModuleAttribs);
  GET(CreateCommand);
  GET(StringPtrLen);
  GET(Call);
  GET(ReplyWithCallReply);
  GET(ReplyWithError);
  GET(FreeCallReply);
  SetModuleAttribs(context, "caller", 1, 1);
  return CreateCommand(context, "call.as", call_as, "write deny-oom", 4, 4, 1);
}
