/** Of these a task has one field for each interaction, whose number follows. */
const BY_NUMBER = {
  chunk_state: 'c',
  answered: 'g',
  last_claim: 'h',
  request: 'i',
  summary: 's',
  ended: 'x',
} as const;

/**
 * The fields of a task's hash, `baton:{s0}:t:<tenant>:task:<ref>`, as stored: short, since every parked task pays for them.
 * Scripts name a field `F_<name>` (see ../scripts/lua-source.ts). What each holds, and which scripts write it, is in
 * docs/data-model.md (Fields of a task).
 */
export const FIELD = {
  status: 'st',
  principal: 'pr',
  program: 'op',
  input: 'in',
  created_at: 'at',
  updated_at: 'up',
  expires_at: 'ex',
  fence: 'fe',
  tries: 'tr',
  queue: 'q',
  events: 'ev',
  events_seen: 'se',
  interactions_opened: 'sq',
  moved: 'mv',
  waits: 'open',
  waiters: 'w',
  outcome: 'rs',
  bytes: 'by',
  usage: 'us',
  idempotency: 'id',
  retries: 'rt',
  rewind: 'rw',
  parent: 'pa',
  revision: 'rv',
  traceparent: 'tc',
  client: 'cl',
  // The path of an effect, or of what is known of a workflow, follows.
  progress: 'p:',
  journal: 'j:',
  ...BY_NUMBER,
} as const;

/** Matches, as a Lua pattern, the fields of single interactions: a replay needs none of them. */
export const INTERACTION_FIELD_PATTERN = `^[${Object.values(BY_NUMBER).join('')}]%d`;
