import { defineScript } from './script.ts';
import { REPLICATED, NEW_WORK, RECHECK_ARGS } from './script-groups.ts';

/** The scripts of MCP sessions and their subscriptions. */

export const SUBSCRIBE_SESSION = defineScript(
  'session/subscribe',
  ['credential', 'tenant', 'session', 'subscribers', 'ended', 'activeChangeChannel', 'idle'],
  [...RECHECK_ARGS, 'id', 'uri', 'subscriptions', 'bytes', 'sessions', 'life', 'grace', 'idle'],
  { ...REPLICATED, ...NEW_WORK },
);

export const UNSUBSCRIBE_SESSION = defineScript(
  'session/unsubscribe',
  ['session', 'subscribers', 'activeChangeChannel'],
  ['id', 'uri'],
  REPLICATED,
);

export const REFRESH_SUBSCRIPTIONS = defineScript(
  'session/refresh_subscriptions',
  ['session', 'subscribers', 'ended'],
  ['id', 'life'],
);

export const END_SESSION = defineScript(
  'session/end_session',
  ['session', 'subscribers', 'ended'],
  ['id', 'limit', 'life', 'channel'],
  REPLICATED,
);

export const SET_LOG_LEVEL = defineScript(
  'session/set_log_level',
  ['logLevels'],
  ['id', 'level', 'limit', 'life', 'channel'],
  REPLICATED,
);
