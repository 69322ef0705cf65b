import { z } from 'zod';

/** The one list of statuses: files, tools, prompts and views all use it. */
export const STATUSES = [
  'pending',
  'in-progress',
  'review',
  'done',
  'deferred',
  'cancelled',
  'blocked',
] as const;
export type Status = (typeof STATUSES)[number];

export const PRIORITIES = ['critical', 'high', 'medium', 'low'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** What people and models write instead, after case, blanks and underscores were evened out. */
const STATUS_WORDINGS: Readonly<Record<Status, readonly string[]>> = {
  pending: [
    'todo',
    'to-do',
    'open',
    'new',
    'not-started',
    'notstarted',
    'planned',
    'backlog',
    'ready',
    'queued',
  ],
  'in-progress': ['inprogress', 'started', 'doing', 'wip', 'working', 'active', 'ongoing', 'in-work'],
  review: ['in-review', 'reviewing', 'needs-review', 'under-review', 'for-review'],
  done: ['completed', 'complete', 'finished', 'closed', 'resolved', 'implemented'],
  deferred: ['postponed', 'on-hold', 'onhold', 'hold', 'paused', 'later'],
  cancelled: ['canceled', 'abandoned', 'dropped', 'obsolete', 'wontfix', 'wont-fix', 'wont-do'],
  blocked: ['stuck', 'waiting', 'impeded'],
};

const PRIORITY_WORDINGS: Readonly<Record<Priority, readonly string[]>> = {
  critical: ['urgent', 'blocker', 'p0'],
  high: ['highest', 'very-high', 'major', 'p1', 'must', 'must-have'],
  medium: ['normal', 'moderate', 'med', 'mid', 'average', 'default', 'p2', 'should', 'should-have'],
  low: ['lowest', 'very-low', 'minor', 'trivial', 'optional', 'p3', 'p4', 'could', 'nice-to-have'],
};

const statusOf = lookUp(STATUSES, STATUS_WORDINGS);
const priorityOf = lookUp(PRIORITIES, PRIORITY_WORDINGS);

/** The status that a wording means, or undefined for a word that means none. */
export function parseStatus(wording: string): Status | undefined {
  return statusOf.get(evenOut(wording));
}

/** A status in any known wording; an unknown word is refused, never dropped. */
export const statusSchema = z.preprocess(
  (value) => (typeof value === 'string' ? (parseStatus(value) ?? value) : value),
  z.enum(STATUSES, { error: () => `must be one of ${STATUSES.join(', ')}` }),
);

/** A priority in any known wording. */
export const prioritySchema = z.preprocess(
  (value) => (typeof value === 'string' ? (priorityOf.get(evenOut(value)) ?? value) : value),
  z.enum(PRIORITIES, { error: () => `must be one of ${PRIORITIES.join(', ')}` }),
);

function lookUp<T extends string>(values: readonly T[], wordings: Readonly<Record<T, readonly string[]>>) {
  return new Map<string, T>(
    values.flatMap((value) => [[value, value], ...wordings[value].map((word): [string, T] => [word, value])]),
  );
}

function evenOut(wording: string): string {
  return wording
    .trim()
    .toLowerCase()
    .replaceAll(/['’]/g, '')
    .replaceAll(/[\s_-]+/g, '-');
}
