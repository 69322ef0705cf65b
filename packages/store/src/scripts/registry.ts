import { defineScript } from './script.ts';
import {
  REPLICATED,
  NEW_WORK,
  ANSWER,
  BATCHED,
  QUEUE_KEYS,
  ENDING_KEYS,
  CALLER_ARGS,
  RECHECK_ARGS,
  ADMISSION_KEYS,
} from './script-groups.ts';

/**
 * The scripts of Redis, with their keys and arguments; what each does and returns is in the header of its file below lua/. A
 * task is one durable execution of an operation (MCP's task), never an item of a project's task list.
 * `script` loads and runs one, `lua-source` puts its text together, `compile-script` makes it one that Redis runs, `script-batcher`
 * sends many calls as one command, laid out by `script-batch`.
 *
 * REPLICATED: the reply confirms something to someone outside, and waits for the replicas of Redis. What workers do is not:
 * should a failover lose it, it is done again, and clients learn of it by READ_TASK_AND_REGISTER_WAITER.
 *
 * NEW_WORK brings new content in, and is the first to be refused while Redis has little room left (memory-reserve.ts); ANSWER
 * brings what somebody paid for, and is the next. The rest of the room is for what was accepted. When Redis is full all the same,
 * it refuses those, and every other script that lacks `allow-oom` in its first line, and BullMQ's jobs wait. What has it writes some
 * bytes at most, but for SETTLE, which ends a task.
 */

export const ADMIT = defineScript('tenant/admit', ADMISSION_KEYS, CALLER_ARGS, BATCHED);

export const ADMIT_ANSWER = defineScript(
  'tenant/admit_answer',
  [...ADMISSION_KEYS, 'task'],
  [...CALLER_ARGS, 'number'],
  BATCHED,
);

/** Never batched: it drops the writes that the calls of a batch share. */
export const ADMISSION_DRY_RUN = defineScript('tenant/admission_dry_run', ADMISSION_KEYS, CALLER_ARGS);

export const OPEN = defineScript(
  'task/open',
  [
    ...ADMISSION_KEYS,
    'task',
    'idempotency',
    'tasks',
    'pending',
    'deadlines',
    'due',
    ...QUEUE_KEYS,
    'calls',
    'activeChangeChannel',
    'projects',
    'projectUse',
  ],
  [
    ...CALLER_ARGS,
    ...(['topic', 'ref', 'operation', 'input', 'arguments', 'idempotencyDigest'] as const),
    ...(['staleRef', 'life', 'keep', 'project', 'projectGrowth'] as const),
    ...(['journal', 'waits', 'ready', 'traceparent', 'client'] as const),
  ],
  { ...REPLICATED, ...BATCHED, ...NEW_WORK },
);

export const ACCEPT_ANSWER = defineScript(
  'interaction/accept_answer',
  [...ADMISSION_KEYS, 'task', 'pending', 'claims', ...QUEUE_KEYS, 'activeChangeChannel', 'usage'],
  [...CALLER_ARGS, 'topic', 'ref', 'number', 'answer', 'fingerprint', 'beside', 'channel', 'used', 'checked'],
  { ...REPLICATED, ...BATCHED, ...ANSWER },
);

export const APPEND_CHUNK = defineScript(
  'interaction/append_chunk',
  [...ADMISSION_KEYS, 'task', 'chunks', 'activeChangeChannel'],
  [...CALLER_ARGS, 'topic', 'number', 'stream', 'sequence', 'delta'],
  { ...REPLICATED, ...NEW_WORK },
);

export const READ_STREAM = defineScript(
  'interaction/read_stream',
  ['credential', 'tenant', 'task', 'chunks'],
  [...RECHECK_ARGS, 'number', 'stream', 'from'],
);

export const READ_CHUNK_STATE = defineScript(
  'interaction/read_chunk_state',
  ['task', 'chunks'],
  ['number', 'from'],
);

export const DEQUEUE = defineScript(
  'queue/dequeue',
  [...QUEUE_KEYS, 'tenant'],
  ['topic', 'list', 'number', 'limit', 'fresh', 'bytes', 'programs'],
);

export const BEGIN_SEGMENTS = defineScript(
  'queue/begin_segments',
  [...QUEUE_KEYS, 'tenant'],
  ['topic', 'number', 'bytes'],
);

export const HOLD_FOR_PROGRAM = defineScript(
  'task/hold_for_program',
  ['task', ...QUEUE_KEYS],
  ['topic', 'ref', 'fence', 'tries'],
);

export const COMMIT = defineScript(
  'project/commit',
  [
    ...([
      'tenant',
      'task',
      'project',
      'projects',
      'projectUse',
      'projectChanges',
      'activeChangeChannel',
    ] as const),
    ...(['landed', 'outcomes', 'outcomeTimes', 'staged'] as const),
  ],
  [
    ...([
      'fence',
      'path',
      'entry',
      'version',
      'name',
      'journal',
      'parts',
      'kinds',
      'sets',
      'copies',
    ] as const),
    ...(['attempt', 'key', 'arguments', 'outcome', 'keep'] as const),
  ],
  { ...REPLICATED, ...BATCHED, ...NEW_WORK },
);

/** A part of a change that is too large for one command; COMMIT is what confirms it. */
export const STAGE_CHANGE = defineScript(
  'project/stage_change',
  ['project', 'staged'],
  ['version', 'part', 'cursor', 'sets', 'copies'],
  NEW_WORK,
);

/** Of a change that makes room: while Redis has little left it is refused no sooner than answers. */
export const COMMIT_DELETION = { ...COMMIT, ...ANSWER };

export const COMMIT_IN_TASK = { ...COMMIT, replicated: false, incoming: undefined };

export const DELETE_PROJECT = defineScript(
  'project/delete_project',
  [
    ...(['tenant', 'project', 'projects', 'projectUse', 'projectChanges', 'activeChangeChannel'] as const),
    ...(['landed', 'outcomes', 'outcomeTimes'] as const),
  ],
  ['name', 'key', 'arguments', 'outcome', 'keep'],
  REPLICATED,
);

export const NOTE_PROJECT_USE = defineScript('project/note_project_use', ['projectUse', 'project'], ['name']);

export const READ_PROJECT = defineScript(
  'project/read_project',
  ['tenant', 'project', 'projectUse', 'projectChanges'],
  ['name', 'whole', 'since'],
  BATCHED,
);

export const PARK = defineScript(
  'task/park',
  ['tenant', 'task', 'past', 'pending', 'deadlines', 'due', ...QUEUE_KEYS, 'calls', 'activeChangeChannel'],
  ['fence', 'topic', 'ref', 'seen', 'journal', 'drops', 'waits'],
  BATCHED,
);

export const SETTLE = defineScript(
  'task/settle',
  ['tenant', 'task', 'pending', 'claims', 'deadlines', 'due', 'retained', ...QUEUE_KEYS, ...ENDING_KEYS],
  ['fence', 'topic', 'ref', 'status', 'payload', 'retention', 'parent'],
  BATCHED,
);

export const CANCEL = defineScript(
  'task/cancel',
  ['tenant', 'task', 'pending', 'claims', 'deadlines', 'due', 'retained', ...QUEUE_KEYS, ...ENDING_KEYS],
  ['principal', 'scopes', 'topic', 'ref', 'number', 'payload', 'retention', 'parent'],
  REPLICATED,
);

export const EXPIRE = defineScript(
  'deadline/expire',
  ['tenant', 'task', 'pending', 'claims', 'deadlines', 'due', 'retained', ...QUEUE_KEYS, ...ENDING_KEYS],
  ['topic', 'ref', 'expired', 'taskExpired', 'retention', 'parent'],
  BATCHED,
);

export const RELEASE_TASK = defineScript('task/release_task', ['task'], ['fence', 'tries']);

export const LIST_DUE_TASKS = defineScript(
  'deadline/list_due_tasks',
  ['tenant', 'deadlines', 'retained', 'due'],
  ['name', 'limit', 'lease'],
);

export const FORGET_TASKS = defineScript(
  'retention/forget_tasks',
  ['tenant', 'tasks', 'retained'],
  ['plain'],
);

export const STRIP_TASKS = defineScript('retention/strip_tasks', ['tenant', 'retained'], ['fields', 'bytes']);

export const REQUEUE_LOST_JOBS = defineScript(
  'queue/requeue_lost_jobs',
  ['tenant', ...QUEUE_KEYS, 'calls'],
  ['topic', 'lost'],
);

export const LIST_DUE_TENANTS = defineScript('deadline/list_due_tenants', ['due', 'swept'], ['limit']);

export const WORKER_HEARTBEAT = defineScript(
  'queue/worker_heartbeat',
  ['workers', 'swept'],
  ['worker', 'ttl'],
);

export const READ_TASK_AND_REGISTER_WAITER = defineScript(
  'task/read_task_and_register_waiter',
  [...ADMISSION_KEYS, 'task'],
  [...CALLER_ARGS, 'channel', 'pending'],
  { ...REPLICATED, ...BATCHED },
);

export const SCAN_TASK_FIELDS = defineScript(
  'task/scan_task_fields',
  ['task'],
  ['principal', 'scopes', 'cursor'],
);

export const READ_INTERACTION = defineScript(
  'interaction/read_interaction',
  ['task', 'past', 'claims', 'deadlines', 'due'],
  ['principal', 'scopes', 'topic', 'ref', 'number'],
  BATCHED,
);

export const LIST_PENDING_OR_REGISTER_WAITER = defineScript(
  'interaction/list_pending_or_register_waiter',
  ['credential', 'tenant', 'pending', 'claims'],
  [...RECHECK_ARGS, 'score', 'member', 'limit', 'scanLimit', 'hideClaimed', 'channel', 'unfiltered', 'owner'],
  REPLICATED,
);

export const FETCH_OR_CLAIM_INTERACTIONS = defineScript(
  'interaction/fetch_or_claim_interactions',
  ['credential', 'tenant', 'claims', 'holder'],
  [
    ...RECHECK_ARGS,
    'status',
    'operation',
    'role',
    'limit',
    'bytes',
    'itemBytes',
    'examine',
    'whole',
    'lease',
    'claimer',
  ],
  REPLICATED,
);

export const CLAIM = defineScript(
  'claim/claim',
  ['credential', 'tenant', 'task', 'claims', 'holder'],
  [...RECHECK_ARGS, 'topic', 'ref', 'number', 'lease', 'claimer'],
  REPLICATED,
);

export const RELEASE_HOLDER = defineScript(
  'claim/release_holder',
  ['tenant', 'claims', 'holder'],
  ['topic', 'life', 'limit'],
  REPLICATED,
);

export const EXTEND_INTERACTION = defineScript(
  'interaction/extend_interaction',
  ['task', 'deadlines', 'due', 'activeChangeChannel'],
  ['principal', 'scopes', 'topic', 'ref', 'number', 'life'],
  REPLICATED,
);

export const UPSERT_TENANT = defineScript(
  'tenant/upsert_tenant',
  ['tenant', 'due'],
  ['create', 'name', 'channel', 'message'],
  REPLICATED,
);

export const CREATE_KEY = defineScript(
  'tenant/create_key',
  ['credential', 'tenant', 'key', 'apiKeys', 'apiKeyEnds', 'forgotten', 'replaced'],
  [
    ...RECHECK_ARGS,
    ...(['id', 'expires', 'remembered', 'limit', 'forget'] as const),
    ...(['replacedId', 'overlap', 'channel', 'message'] as const),
  ],
  { ...REPLICATED, ...NEW_WORK },
);

export const UPDATE_KEY = defineScript(
  'tenant/update_key',
  ['credential'],
  ['channel', 'message'],
  REPLICATED,
);

export const REVOKE_KEY = defineScript(
  'tenant/revoke_key',
  ['credential', 'apiKeys', 'apiKeyEnds'],
  ['id', 'channel', 'message'],
  REPLICATED,
);

export const PUT_PRICES = defineScript(
  'usage/put_prices',
  ['credential', 'tenant', 'prices'],
  [...RECHECK_ARGS, 'table'],
  { ...REPLICATED, ...NEW_WORK },
);

/** Whoever changes how a workflow stands waits until it is stored. */
export const RECORD_PROGRESS = defineScript(
  'workflow/record_progress',
  [...ADMISSION_KEYS, 'task', 'child', 'activeChangeChannel'],
  [...CALLER_ARGS, 'owner', 'ownerScopes', 'topic', 'ref', 'revision', 'link', 'failed', 'sets'],
  REPLICATED,
);

export const READ_PROGRESS = defineScript(
  'workflow/read_progress',
  ['credential', 'tenant', 'task'],
  [...RECHECK_ARGS, 'operation'],
  REPLICATED,
);

export const COMPLETE_WORKFLOW = defineScript(
  'workflow/complete_workflow',
  [
    ...(['tenant', 'task', 'pending', 'claims', 'deadlines', 'due', 'retained'] as const),
    ...QUEUE_KEYS,
    'calls',
    'activeChangeChannel',
  ],
  ['principal', 'scopes', 'endingScope', 'topic', 'ref', 'operation', 'payload', 'retention'],
  { ...REPLICATED, ...ANSWER },
);

export * from './conversation-scripts.ts';
export * from './definition-scripts.ts';
export * from './provider-scripts.ts';
export * from './retry-scripts.ts';
export * from './session-scripts.ts';
