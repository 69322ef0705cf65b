import { defineScript } from './script.ts';
import { REPLICATED, BATCHED, QUEUE_KEYS, RECHECK_ARGS } from './script-groups.ts';

/** The scripts of conversations; the rest is in registry.ts. */

export const BEGIN_TURN = defineScript(
  'conversation/begin_turn',
  ['task', 'conversation'],
  ['fence', 'ref', 'ended', 'most', 'first', 'idle'],
);

export const END_TURN = defineScript(
  'conversation/end_turn',
  ['tenant', 'task', 'conversation', 'messages', 'conversations', 'conversationSizes'],
  ['fence', 'path', 'entry', 'own', 'title', 'keep', 'idle', 'journal'],
  BATCHED,
);

export const DELETE_CONVERSATION = defineScript(
  'conversation/delete_conversation',
  ['credential', 'tenant', 'conversation', 'conversations', 'conversationSizes'],
  [...RECHECK_ARGS, 'ref'],
  REPLICATED,
);

export const END_SLEEP = defineScript(
  'task/end_sleep',
  ['tenant', 'task', 'deadlines', 'due', ...QUEUE_KEYS, 'activeChangeChannel'],
  ['topic', 'ref'],
  BATCHED,
);

export const START_ANSWER_TIME = defineScript(
  'interaction/start_answer_time',
  ['task', 'deadlines', 'due'],
  ['topic', 'ref', 'number', 'within'],
  BATCHED,
);
