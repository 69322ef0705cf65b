import { defineScript } from './script.ts';

/**
 * The typed callers of the scripts; what each does and returns stands in the header of its file.
 *
 * When Redis is full, six are refused, with nothing written: OPEN, ACCEPT, CHUNK, COMMIT and PARK, by which content
 * comes in, and SUBSCRIBE. An answer is among them though someone paid for it: it stays with its agent, who hears that it may be
 * repeated, while bytes beyond the limit would end in a server that the system kills, and with it everyone's answers.
 * All others (`allow-oom`) write some bytes at most, but for SETTLE, which ends what is in: so what was accepted ends,
 * is cancelled, expires or is put back in a full Redis too, and makes room.
 *
 * Those whose reply tells someone outside that something is so are REPLICATED. What workers do is not: should a failover
 * lose it, it is done again, and whoever hears of it hears by READ.
 */

const REPLICATED = { replicated: true };
/** Many run at once; each is short. */
const GROUPED = { grouped: true };

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
    'ready',
    'turns',
    'shifts',
    'listeners',
  ],
  [
    ...CALLER,
    ...(['member', 'ref', 'operation', 'input', 'arguments', 'gone', 'life', 'keep'] as const),
    ...(['journal', 'opens', 'ready'] as const),
  ],
  { ...REPLICATED, ...GROUPED },
);

export const ACCEPT = defineScript(
  'accept',
  ['credential', 'tenant', 'task', 'pending', 'claims', 'ready', 'turns', 'shifts', 'leased', 'listeners'],
  [...CALLER, 'member', 'ref', 'number', 'answer', 'fingerprint', 'channel', 'lease'],
  { ...REPLICATED, ...GROUPED },
);

export const CHUNK = defineScript(
  'chunk',
  ['credential', 'tenant', 'task'],
  [...CALLER, 'number', 'sequence', 'delta'],
  REPLICATED,
);

export const TAKE = defineScript('take', ['ready', 'turns', 'leased'], ['most', 'lease']);

export const HOLD = defineScript('hold', ['leased'], ['member', 'lease']);

export const ATTEND = defineScript('attend', ['ready', 'shifts'], ['channel', 'attendance']);

export const LOAD = defineScript('load', ['leased'], []);

export const COMMIT = defineScript(
  'commit',
  ['task', 'project', 'projects', 'listeners'],
  ['fence', 'path', 'entry', 'version', 'name', 'journal', 'sets'],
  REPLICATED,
);

export const COMMIT_WITHIN = { ...COMMIT, replicated: false };

export const PARK = defineScript(
  'park',
  ['tenant', 'task', 'pending', 'deadlines', 'leased', 'listeners'],
  ['fence', 'member', 'ref', 'seen', 'journal', 'drops', 'opens'],
  GROUPED,
);

export const SETTLE = defineScript(
  'settle',
  ['tenant', 'task', 'pending', 'claims', 'deadlines', 'ready', 'leased', 'listeners'],
  ['fence', 'member', 'ref', 'status', 'payload', 'retention'],
  GROUPED,
);

export const CANCEL = defineScript(
  'cancel',
  ['tenant', 'task', 'pending', 'claims', 'deadlines', 'ready', 'turns', 'shifts', 'leased', 'listeners'],
  ['principal', 'scopes', 'member', 'ref', 'number', 'payload', 'retention'],
  REPLICATED,
);

export const EXPIRE = defineScript(
  'expire',
  ['tenant', 'task', 'pending', 'claims', 'deadlines', 'ready', 'turns', 'shifts', 'leased', 'listeners'],
  ['member', 'ref', 'expired', 'taskExpired', 'retention'],
);

export const RELEASE = defineScript(
  'release',
  ['task', 'deadlines', 'leased'],
  ['fence', 'member', 'pause', 'tries'],
);

export const SWEEP = defineScript(
  'sweep',
  ['deadlines', 'ready', 'turns', 'shifts', 'leased', 'swept'],
  ['interval', 'most', 'hold'],
);

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
  ['task', 'deadlines', 'listeners'],
  ['principal', 'scopes', 'member', 'number', 'life'],
  REPLICATED,
);

export const SUBSCRIBE = defineScript(
  'subscribe',
  ['session', 'subscribers', 'ended', 'listeners', 'idle'],
  ['id', 'uri', 'subscriptions', 'bytes', 'sessions', 'life', 'grace', 'idle'],
  REPLICATED,
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
