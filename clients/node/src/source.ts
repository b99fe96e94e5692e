// Which client the user has.

import type { Source } from "./connection.js";
import { MillraceError } from "./errors.js";
import { IoredisClusterSource, IoredisSource, isIoredis, isIoredisCluster } from "./ioredis_source.js";
import { NodeRedisSource, isNodeRedis } from "./node_redis_source.js";

export function sourceOf(client: object, isClusterNode: boolean): Source {
  if (isIoredisCluster(client)) return new IoredisClusterSource(client);
  if (isIoredis(client)) return new IoredisSource(client);
  if (isNodeRedis(client)) return new NodeRedisSource(client, isClusterNode);
  throw new MillraceError("neither a client or cluster of ioredis, nor a client of node-redis");
}
