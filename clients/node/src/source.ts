// Which client the user has.

import type { Source } from "./connection.js";
import { MillraceError } from "./errors.js";
import { IoredisClusterSource, IoredisSource, isIoredis, isIoredisCluster } from "./ioredis_source.js";

export function sourceOf(client: object): Source {
  if (isIoredisCluster(client)) return new IoredisClusterSource(client);
  if (isIoredis(client)) return new IoredisSource(client);
  throw new MillraceError("this is no client of ioredis");
}
