/**
 * The store: the only package that speaks to Redis. A `task` here is one durable execution of an operation (MCP's task), never an
 * item of a project's task list, which is packages/operations'. `Store` opens it, `TenantStore` is the way to one tenant's data.
 * `records/` has key names, lifetimes and record formats, `redis/` the connection, `scripts/` every state change, `queues/`
 * BullMQ, `tenant/`, `tasks/`, `usage/` and `queries/` a tenant's data, `waiting/` a replica's inbox, `shard/` what workers run.
 */
export type { Identity } from './identity/identity.ts';
export type { CallerAdmission } from './tenant/caller-admission.ts';
export type { Change } from './tenant/change-feed.ts';
export type { Subscriber } from './redis/pub-sub.ts';
export { COMMAND_TIMEOUT } from './redis/redis-client.ts';
export { keyIssuerOf } from './tenant/key-issuer.ts';
export type { AuditEntry } from './tenant/audit-log.ts';
export type { ApiKeyInfo } from './tenant/api-keys.ts';
export { InboxSubscription, type TaskUpdate } from './waiting/inbox-subscription.ts';
export type { HistoryQuery } from './queries/interaction-history.ts';
export { claimGroup, type PendingQuery, type PendingPage } from './queries/pending-list.ts';
export type { Accepted, StreamSoFar } from './tasks/interactions.ts';
export { mayStream } from './records/interaction-request.ts';
export type { Claimer } from './records/claim-field.ts';
export { type InteractionRecord, type InteractionSummary, ON_STREAM } from './records/interaction-record.ts';
export type { TaskInspection, TaskSummary } from './queries/paged-queries.ts';
export { MAX_PAGE_SIZE, PAGE_SIZE } from './records/page.ts';
export type { Page, PageBounds, OwnerAndTimeFilter } from './records/page.ts';
export type { JobCount } from './queues/bullmq-queues.ts';
export type { ConversationSummary } from './conversations/conversations.ts';
export type { AgentSource } from './tenant/agent-definition-cache.ts';
export type {
  Definitions,
  DefinitionVersion,
  ExpectedEtag,
  NewDefinition,
  PutDefinition,
  PutOptions,
} from './tenant/definitions.ts';
export type { DefinitionEntry, StoredDefinition } from './tenant/definition-entry.ts';
export type { Retried, RetriedStep } from './tasks/task-retries.ts';
export type { NextCall, StoredWorkflowTask } from './tasks/workflow-tasks.ts';
export { fieldCount, type ProjectChange } from './projects/project-change.ts';
export type { Idempotency, Projects, ProjectUse, ProjectVersion } from './projects/projects.ts';
export { refusalError, sessionNotFoundError } from './records/refusal-error.ts';
export { otherSecretText, sharesSecrets } from './secrets/secrets-in-use.ts';
export type { Seal } from './secrets/seal.ts';
export { Store, type StoreOptions } from './store.ts';
export type { PendingInteraction, TaskView } from './records/task-view.ts';
export { OversizedRequestError } from './records/oversized-request-error.ts';
export type { ParkRequest, Wait } from './records/park-request.ts';
export type { NewTask } from './tasks/tasks.ts';
export type { AgentRoute, EndpointRoute, RoleRoute, Roles, StoredRole } from './tenant/roles.ts';
export type { Usage } from './tenant/usage.ts';
export type { UsageRow } from './usage/usage-days.ts';
export { utcDay, utcDaysBetween } from './usage/utc-day.ts';
export type { TenantStore } from './tenant-store.ts';
export { unreadyReason } from './redis/redis-errors.ts';
export { readReadiness, type ReadinessSource } from './readiness.ts';
export { type RedisReport, reportRedis } from './redis-report.ts';
export {
  STREAM_PUBLISH_INTERVAL,
  SUBSCRIPTION_REFRESH_INTERVAL,
  DEFAULT_LIFETIMES,
  HEARTBEAT_INTERVAL,
  type Lifetimes,
  CHANGE_FEED_RENEW_INTERVAL,
  SESSION_TTL,
  SWEEP_INTERVAL,
} from './records/durations.ts';
export { type ListCursors, throwInvalidCursor } from './cursors/cursor-seal.ts';
export { maySee } from './identity/identity.ts';
