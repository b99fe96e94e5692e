// Finds out which client library the user has.

import type { Source } from "./connection.js";
import { MillraceError } from "./errors.js";
import { IoredisClusterSource, IoredisSource, isIoredis, isIoredisCluster } from "./ioredis_source.js";
import { NodeRedisSentinelSource, NodeRedisSource, isNodeRedis, type Sentinels } from "./node_redis_source.js";

export function sourceOf(client: object, isClusterNode: boolean, sentinels: Sentinels | undefined): Source {
  if (sentinels !== undefined) {
    if (isNodeRedis(client)) return new NodeRedisSentinelSource(client, sentinels);
    throw new MillraceError("`sentinels` is for clients of node-redis: ioredis has Sentinels of its own");
  }
  if (isIoredisCluster(client)) return new IoredisClusterSource(client);
  if (isIoredis(client)) return new IoredisSource(client);
  if (isNodeRedis(client)) return new NodeRedisSource(client, isClusterNode);
  throw new MillraceError("neither a client or cluster of ioredis, nor a client of node-redis");
}
