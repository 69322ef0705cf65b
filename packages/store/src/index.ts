/**
 * Redis, and nothing but this package speaks to it. `store` opens it; `tenant` is the door to a tenant, behind it
 * `tasks`, `interactions`, `listing`, `projects`, `credentials`, `sessions`, `changes`; `shard` is what workers take from, `segment` their right to run a
 * task; `inbox` is how a replica waits. `scripts/` holds every state change, `keys` and `ttl` every name and lifetime.
 */
export type { Caller, Identity } from './caller.ts';
export type { Change } from './changes.ts';
export type { Ear } from './channels.ts';
export { COMMAND_TIMEOUT } from './connection.ts';
export type { Credential } from './credentials.ts';
export type { Listener, Notice } from './inbox.ts';
export type { Look, PendingPage } from './backlog.ts';
export type { InteractionRecord, InteractionSummary } from './interaction-record.ts';
export type { TaskInspection, TaskSummary } from './listing.ts';
export type { Page } from './page.ts';
export type { JobCount } from './queues.ts';
export type { ProjectChange, StoredProject } from './projects.ts';
export { refusal, sessionNotFound } from './refusal.ts';
export type { SealKey } from './seal-key.ts';
export { Store, type StoreOptions } from './store.ts';
export type { PendingInteraction, TaskView } from './task-view.ts';
export { OversizedRequest } from './oversized-request.ts';
export type { Parked, Wait } from './parked.ts';
export type { NewTask } from './tasks.ts';
export type { Tenant } from './tenant.ts';
export { troubleOf } from './unavailable.ts';
export {
  ATTUNE_INTERVAL,
  DEFAULT_LIFETIMES,
  HEARTBEAT_INTERVAL,
  type Lifetimes,
  LISTEN_INTERVAL,
  SESSION_LIFE,
  SWEEP_INTERVAL,
} from './ttl.ts';
