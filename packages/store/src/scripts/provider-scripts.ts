import { defineScript } from './script.ts';
import { REPLICATED, NEW_WORK, BATCHED, QUEUE_KEYS, RECHECK_ARGS } from './script-groups.ts';

/** The scripts of roles, and of calls to LLM endpoints; the rest is in registry.ts. */

export const BEGIN_CALL = defineScript(
  'provider/begin_call',
  ['tenant', 'task', 'calls', 'chunks', 'tenantsWithJobs'],
  ['topic', 'ref', 'number', 'lease'],
);

export const RENEW_CALL = defineScript(
  'provider/renew_call',
  ['task', 'calls'],
  ['ref', 'number', 'held', 'lease'],
  BATCHED,
);

export const APPEND_CALL_CHUNK = defineScript(
  'provider/append_call_chunk',
  ['tenant', 'task', 'chunks', 'activeChangeChannel'],
  ['topic', 'number', 'stream', 'sequence', 'delta'],
  NEW_WORK,
);

export const ANSWER_CALL = defineScript(
  'provider/answer_call',
  ['tenant', 'task', 'calls', 'chunks', ...QUEUE_KEYS, 'activeChangeChannel', 'usage'],
  ['topic', 'ref', 'number', 'answer', 'fingerprint', 'used', 'stream'],
);

export const PUT_ROLE = defineScript(
  'role/put_role',
  ['credential', 'tenant', 'roles'],
  [...RECHECK_ARGS, 'role', 'before', 'definition'],
  { ...REPLICATED, ...NEW_WORK },
);

/** It makes room. */
export const DELETE_ROLE = { ...PUT_ROLE, incoming: undefined };
