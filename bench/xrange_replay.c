/* The peer of bench/replay: reads a whole stream by XRANGE with hiredis, as users do it.
 *
 *   xrange_replay PORT KEY COUNT */
#include <hiredis/hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  redisContext* server = redisConnect("127.0.0.1", atoi(argv[1]));
  if (server == NULL || server->err) return 3;
  unsigned long long messages = 0, bytes = 0;
  char from[64] = "-";
  const double start = now();
  for (;;) {
    redisReply* reply = redisCommand(server, "XRANGE %s %s + COUNT %s", argv[2], from, argv[3]);
    if (reply == NULL || reply->type != REDIS_REPLY_ARRAY) return 3;
    const size_t count = reply->elements;
    for (size_t i = 0; i < count; ++i) {
      const redisReply* fields = reply->element[i]->element[1];
      ++messages;
      bytes += fields->element[0]->len + fields->element[1]->len;
    }
    if (count != 0) snprintf(from, sizeof from, "(%s", reply->element[count - 1]->element[0]->str);
    freeReplyObject(reply);
    if (count == 0) break;
  }
  printf("%llu messages of %llu bytes, %.3f seconds\n", messages, bytes, now() - start);
  redisFree(server);
  return 0;
}
