import { defineScript } from './script.ts';

/**
 * The typed callers of the scripts; what each does and returns stands in the header of its file.
 *
 * When Redis has little room left (memory-reserve.ts), five are refused, with nothing sent: OPEN, ACCEPT, CHUNK, COMMIT from
 * outside a task, and SUBSCRIBE, by which content comes in. An answer is among them though someone paid for it: it stays
 * with its agent, who hears that it may be repeated. What is left is for what was accepted: PARK, COMMIT and BullMQ's jobs.
 * When Redis is full all the same, those five, PARK and COMMIT are refused by Redis, and BullMQ takes and gives no job:
 * what was accepted waits until there is room. All others (`allow-oom`) write some bytes at most, but for SETTLE, which
 * ends what is in.
 *
 * Those whose reply tells someone outside that something is so are REPLICATED. What workers do is not: should a failover
 * lose it, it is done again, and whoever hears of it hears by READ.
 */

const REPLICATED = { replicated: true };
/** Content comes in by it. */
const INCOMING = { incoming: true };
/** Many run at once; each is short. */
const GROUPED = { grouped: true };

/** What a script needs that may put a task into its tenant's lists, or take one out. */
const QUEUE = ['ready', 'held', 'jobs', 'outstanding', 'workers'] as const;

const CALLER = ['digest', 'principal', 'scopes', 'need', 'bytes', 'floor'] as const;

export const ADMIT = defineScript('admit', ['credential', 'tenant'], CALLER, GROUPED);

/** Never grouped: what it takes back would be its neighbours' too. */
export const FORESEE = defineScript('foresee', ['credential', 'tenant'], CALLER);

export const OPEN = defineScript(
  'open',
  [
    'credential',
    'tenant',
    'task',
    'idempotency',
    'tasks',
    'pending',
    'deadlines',
    'due',
    ...QUEUE,
    'listeners',
  ],
  [
    ...CALLER,
    ...(['member', 'ref', 'operation', 'input', 'arguments', 'gone', 'life', 'keep'] as const),
    ...(['journal', 'opens', 'ready'] as const),
  ],
  { ...REPLICATED, ...GROUPED, ...INCOMING },
);

export const ACCEPT = defineScript(
  'accept',
  ['credential', 'tenant', 'task', 'pending', 'claims', ...QUEUE, 'listeners'],
  [...CALLER, 'member', 'ref', 'number', 'answer', 'fingerprint', 'channel'],
  { ...REPLICATED, ...GROUPED, ...INCOMING },
);

export const CHUNK = defineScript(
  'chunk',
  ['credential', 'tenant', 'task'],
  [...CALLER, 'number', 'sequence', 'delta'],
  { ...REPLICATED, ...INCOMING },
);

export const DEQUEUE = defineScript('dequeue', QUEUE, [
  'member',
  'list',
  'number',
  'most',
  'fresh',
  'bytes',
  'programs',
]);

export const LOAD = defineScript('load', QUEUE, ['member', 'number', 'bytes']);

export const HOLD = defineScript('hold', ['task', ...QUEUE], ['member', 'ref', 'fence', 'tries']);

export const COMMIT = defineScript(
  'commit',
  ['task', 'project', 'projects', 'listeners'],
  ['fence', 'path', 'entry', 'version', 'name', 'journal', 'sets'],
  { ...REPLICATED, ...INCOMING },
);

export const COMMIT_WITHIN = { ...COMMIT, replicated: false, incoming: false };

export const PARK = defineScript(
  'park',
  ['tenant', 'task', 'pending', 'deadlines', 'due', ...QUEUE, 'listeners'],
  ['fence', 'member', 'ref', 'seen', 'journal', 'drops', 'opens'],
  GROUPED,
);

export const SETTLE = defineScript(
  'settle',
  ['tenant', 'task', 'pending', 'claims', 'deadlines', ...QUEUE, 'listeners'],
  ['fence', 'member', 'ref', 'status', 'payload', 'retention'],
  GROUPED,
);

export const CANCEL = defineScript(
  'cancel',
  ['tenant', 'task', 'pending', 'claims', 'deadlines', 'due', ...QUEUE, 'listeners'],
  ['principal', 'scopes', 'member', 'ref', 'number', 'payload', 'retention'],
  REPLICATED,
);

export const EXPIRE = defineScript(
  'expire',
  ['tenant', 'task', 'pending', 'claims', 'deadlines', 'due', ...QUEUE, 'listeners'],
  ['member', 'ref', 'expired', 'taskExpired', 'retention'],
  GROUPED,
);

export const RELEASE = defineScript('release', ['task'], ['fence', 'tries']);

export const SWEEP = defineScript('sweep', ['deadlines', 'due'], ['tenant', 'most']);

export const RESCHEDULE = defineScript('reschedule', QUEUE, ['member', 'lost']);

export const DUE = defineScript('due', ['due', 'swept'], ['most']);

export const WORKER_HEARTBEAT = defineScript('worker_heartbeat', ['workers', 'swept'], ['worker', 'ttl']);

export const READ = defineScript('read', ['task'], ['principal', 'scopes', 'channel'], REPLICATED);

export const LIST = defineScript(
  'list',
  ['tenant', 'pending', 'claims', 'holders'],
  ['principal', 'score', 'member', 'most', 'examine', 'hide', 'channel', 'sure'],
  REPLICATED,
);

export const SHOW = defineScript(
  'show',
  ['claims', 'holders'],
  ['status', 'operation', 'role', 'most', 'bytes', 'whole', 'lease', 'holder'],
  REPLICATED,
);

export const CLAIM = defineScript(
  'claim',
  ['tenant', 'task', 'claims', 'holders'],
  ['principal', 'scopes', 'member', 'ref', 'number', 'holder', 'lease'],
  REPLICATED,
);

export const RESIGN = defineScript(
  'resign',
  ['tenant', 'claims', 'holders'],
  ['member', 'holder', 'life'],
  REPLICATED,
);

export const EXTEND = defineScript(
  'extend',
  ['task', 'deadlines', 'due', 'listeners'],
  ['principal', 'scopes', 'member', 'ref', 'number', 'life'],
  REPLICATED,
);

export const SUBSCRIBE = defineScript(
  'subscribe',
  ['session', 'subscribers', 'ended', 'listeners', 'idle'],
  ['id', 'uri', 'subscriptions', 'bytes', 'sessions', 'life', 'grace', 'idle'],
  { ...REPLICATED, ...INCOMING },
);

export const UNSUBSCRIBE = defineScript(
  'unsubscribe',
  ['session', 'subscribers', 'listeners'],
  ['id', 'uri'],
  REPLICATED,
);

export const ATTUNE = defineScript('attune', ['session', 'subscribers', 'ended'], ['id', 'life']);

export const END = defineScript(
  'end',
  ['session', 'subscribers', 'ended'],
  ['id', 'most', 'life', 'channel'],
  REPLICATED,
);

export const TENANT = defineScript('tenant', ['tenant'], ['create'], REPLICATED);
