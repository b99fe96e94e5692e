// Millrace: logs, work queues, channels, locks, pools, routes and indexes on Redis or Valkey.

export { Backoff } from "./backoff.js";
export type { Channel } from "./channel.js";
export { Millrace, type MillraceOptions } from "./client.js";
export { json, raw, text, type Codec } from "./codecs.js";
export type { Device, DeviceOptions, FilterOptions, Target } from "./device.js";
export {
  BadFilter, BadFrame, BadPosition, BadReceipt, ConnectionLost, Full, LockLost, LockTimeout, MillraceError, NoGroup,
  NoSubscriber, NotOwner, NotPermitted, NotReplicated, NotUnique, NoWorker, NoWorkers, OutOfMemory, RefusedForNow, Reject,
  ServerError, TimeLimitExceeded, Undelivered, WrongType,
} from "./errors.js";
export type { HeldLock } from "./held.js";
export type { Condition, CreateOptions, FindOptions, Found, Index } from "./indexes.js";
export type { Lock, LockOptions } from "./lock.js";
export type { Entry, Message, Payload, Publication } from "./messages.js";
export type { Sentinels } from "./node_redis_source.js";
export type { Pool, PoolSettings } from "./pool.js";
export type { PayloadHandler, PoolWorker, PoolWorkerOptions } from "./pool_worker.js";
export type { Place, Producer, ProducerOptions, SendOptions, Sent } from "./producer.js";
export type { Reader, ReaderOptions } from "./reader.js";
export type { Redlock, RedlockOptions } from "./redlock.js";
export type { Dispatch, Dispatched, DispatchOptions, Push, Routes } from "./routes.js";
export type { Logger, Observer } from "./settings.js";
export type { Suggestions, SuggestOptions } from "./suggestions.js";
export type { SubscribeOptions, Subscription } from "./subscription.js";
export type { Handler, RunOptions, Worker, WorkerOptions } from "./worker.js";
