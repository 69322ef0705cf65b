import { defineScript } from './script.ts';
import { NEW_WORK, QUEUE_KEYS, REPLICATED } from './script-groups.ts';

/** The scripts of tasks that failed and go on; the rest is in registry.ts. */

export const RETRY = defineScript(
  'task/retry',
  [
    ...(['tenant', 'task', 'past', 'idempotency', 'tasks', 'pending'] as const),
    ...(['deadlines', 'due', 'retained'] as const),
    ...QUEUE_KEYS,
    'activeChangeChannel',
  ],
  [
    ...(['principal', 'scopes', 'topic', 'ref', 'failedAt', 'retry', 'runnable', 'workflow'] as const),
    ...(['channel', 'life', 'keep', 'oldest'] as const),
  ],
  { ...REPLICATED, ...NEW_WORK },
);

export const REWIND = defineScript('task/rewind', ['tenant', 'task'], ['fence', 'journal']);
