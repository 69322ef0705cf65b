/**
 * Redis, and nothing but this package speaks to it. `store` opens it; `tenant` is the door to a tenant, behind it
 * `tasks`, `interactions`, `listing`, `projects`, `credentials`, `sessions`, `changes`; `shard` is what workers take from, `segment` their right to run a
 * task; `inbox` is how a replica waits. `scripts/` holds every state change, `keys` and `ttl` every name and lifetime.
 */
export type { Identity } from './records/identity.ts';
export type { Caller } from './tenant/caller.ts';
export type { Change } from './tenant/change-feed.ts';
export type { Subscriber } from './redis/pub-sub.ts';
export { COMMAND_TIMEOUT } from './redis/redis-client.ts';
export type { Credential } from './tenant/credentials.ts';
export type { TaskSubscription, TaskUpdate } from './waiting/task-subscription.ts';
export type { PendingQuery, PendingPage } from './queries/pending-list.ts';
export type { InteractionRecord, InteractionSummary } from './records/interaction-record.ts';
export type { TaskInspection, TaskSummary } from './queries/queries.ts';
export type { Page } from './records/page.ts';
export type { JobCount } from './queues/bullmq-queues.ts';
export type { ProjectChange, StoredProject } from './tenant/projects.ts';
export { refusal, sessionNotFound } from './records/refusal.ts';
export type { SealKey } from './seal-key.ts';
export { Store, type StoreOptions } from './store.ts';
export type { PendingInteraction, TaskView } from './records/task-view.ts';
export { OversizedRequest } from './records/oversized-request.ts';
export type { ParkRequest, Wait } from './records/park-request.ts';
export type { NewTask } from './tasks/tasks.ts';
export type { TenantStore } from './tenant-store.ts';
export { unreadyReason } from './redis/redis-errors.ts';
export {
  SUBSCRIPTION_REFRESH_INTERVAL,
  DEFAULT_LIFETIMES,
  HEARTBEAT_INTERVAL,
  type Lifetimes,
  CHANGE_FEED_RENEW_INTERVAL,
  SESSION_TTL,
  SWEEP_INTERVAL,
} from './records/ttl.ts';
