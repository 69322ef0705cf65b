/**
 * The legend of a task's hash: what stands in `baton:{s0}:t:<tenant>:task:<ref>`. Names are short as stored, since every
 * parked task pays for them. Scripts name a field `F_<name>` (see ../scripts/lua-source.ts), TypeScript `FIELD.<name>`.
 *
 * A family has one field for each interaction or path; its `stored` is what the field's name begins with.
 * Times are milliseconds since 1970 by Redis's clock.
 */
export interface TaskField {
  readonly stored: string;
  /** Of a family: what follows `stored` in the name. */
  readonly suffix?: '<path>' | '<number>';
  readonly meaning: string;
  /** Unit or layout of the value. */
  readonly value: string;
  /** The scripts that write, change or delete it. */
  readonly writers: readonly string[];
  /** When there is no such field, and what that means. */
  readonly absent: string;
}

/** The scripts that may end a step of a workflow, which is written into its workflow's record. */
const ENDS_STEPS = ['task/settle', 'task/cancel', 'deadline/expire'] as const;

const ENDS_TASKS = [...ENDS_STEPS, 'workflow/complete_workflow'] as const;
const ANSWERS = ['interaction/accept_answer', 'provider/answer_call'] as const;

export const TASK_RECORD = {
  status: {
    stored: 'st',
    meaning: "MCP's status of the task",
    value: 'working, input_required, completed, failed or cancelled',
    writers: [...ENDS_TASKS, ...ANSWERS, 'task/open', 'task/park', 'task/end_sleep', 'task/retry'],
    absent: 'never',
  },
  principal: {
    stored: 'pr',
    meaning: 'The principal that started the task',
    value: 'text',
    writers: ['task/open'],
    absent: 'never',
  },
  program: {
    stored: 'op',
    meaning: "The operation, and its program's version",
    value: '<operation> <version>',
    writers: ['task/open'],
    absent: 'never',
  },
  input: {
    stored: 'in',
    meaning: "The operation's input",
    value: 'JSON',
    writers: ['task/open', 'retention/strip_tasks'],
    absent: 'when an ended task has lost what is large',
  },
  created_at: {
    stored: 'at',
    meaning: 'When the task was opened',
    value: 'ms',
    writers: ['task/open'],
    absent: 'never',
  },
  updated_at: {
    stored: 'up',
    meaning: 'When the task last changed',
    value: 'ms',
    writers: [
      ...ENDS_TASKS,
      ...ANSWERS,
      'interaction/extend_interaction',
      'task/park',
      'workflow/record_progress',
      'task/end_sleep',
      'task/retry',
    ],
    absent: 'until the first change: it is created_at',
  },
  expires_at: {
    stored: 'ex',
    meaning: 'The deadline of the task; no wait of it is due later',
    value: 'ms',
    writers: ['task/open', 'task/retry'],
    absent: 'never',
  },
  fence: {
    stored: 'fe',
    meaning: 'Counts the holders of the task: a script that was given another fence writes nothing',
    value: 'count',
    writers: [
      ...ENDS_TASKS,
      'queue/dequeue',
      'queue/begin_segments',
      'task/park',
      'task/release_task',
      'task/hold_for_program',
    ],
    absent: 'until a segment begins or the task ends: it is 0',
  },
  tries: {
    stored: 'tr',
    meaning: 'Segments begun since the task last parked or was retried',
    value: 'count',
    writers: [
      'queue/dequeue',
      'queue/begin_segments',
      'task/park',
      'task/release_task',
      'task/hold_for_program',
      'task/retry',
    ],
    absent: 'until a segment begins: it is 0',
  },
  queue: {
    stored: 'q',
    meaning: 'Where the task stands in its tenant queues',
    value: "'ready', 'held', the number of the BullMQ job that has it, or empty for none",
    writers: [
      ...ENDS_TASKS,
      ...ANSWERS,
      'task/open',
      'queue/dequeue',
      'queue/begin_segments',
      'queue/requeue_lost_jobs',
      'task/park',
      'task/hold_for_program',
      'task/end_sleep',
      'task/retry',
    ],
    absent: 'until the task has something for a worker: it stands in no queue',
  },
  events: {
    stored: 'ev',
    meaning: 'Answers, expiries, cancellations, ended sleeps and retries of the task so far',
    value: 'count',
    writers: [...ANSWERS, 'task/cancel', 'deadline/expire', 'task/end_sleep', 'task/retry'],
    absent: 'until the first event: it is 0',
  },
  events_seen: {
    stored: 'se',
    meaning: 'How many of the events the program had consumed when it last parked',
    value: 'count',
    writers: ['task/park'],
    absent: 'until the task parks in a worker: it is 0',
  },
  interactions_opened: {
    stored: 'sq',
    meaning: 'The number of the last interaction that the task opened',
    value: 'count',
    writers: ['task/open', 'task/park'],
    absent: 'never',
  },
  moved: {
    stored: 'mv',
    meaning: 'The last interaction whose request was moved into `past`, unless it was open then',
    value: 'count',
    writers: ['task/park'],
    absent: 'until the task has opened 80 interactions: it is 0',
  },
  waits: {
    stored: 'open',
    meaning: 'The open waits: interactions that are pending, and sleeps (number 0)',
    value: '<number>;<due ms>;<kind>;<path> each, separated by spaces; empty for none',
    writers: [
      ...ENDS_TASKS,
      ...ANSWERS,
      'task/open',
      'interaction/extend_interaction',
      'task/park',
      'task/end_sleep',
      'interaction/start_answer_time',
    ],
    absent: 'never',
  },
  waiters: {
    stored: 'w',
    meaning: 'The replicas that hold a request for the task, to be notified of its next park or end',
    value:
      "channels separated by spaces, with a '!' before those that wait for the end alone; empty for none",
    writers: [
      ...ENDS_TASKS,
      'task/read_task_and_register_waiter',
      'interaction/accept_answer',
      'task/park',
      'task/retry',
    ],
    absent: 'until a replica waits for it',
  },
  outcome: {
    stored: 'rs',
    meaning: 'What the task ended with: its result, or its error',
    value: 'JSON',
    writers: [...ENDS_TASKS, 'task/retry'],
    absent: 'while the task has not ended',
  },
  bytes: {
    stored: 'by',
    meaning: 'What the record counts of what its tenant stores',
    value: '<bytes>, or <bytes>;<recount> once a recount has met it',
    writers: [
      ...ENDS_TASKS,
      ...ANSWERS,
      'task/open',
      'provider/begin_call',
      'provider/append_call_chunk',
      'interaction/append_chunk',
      'task/park',
      'project/commit',
      'retention/strip_tasks',
      'recount/recount_tasks',
      'workflow/record_progress',
      'task/end_sleep',
      'conversation/end_turn',
      'task/retry',
      'task/rewind',
    ],
    absent: 'in records of an earlier release, until a recount meets them',
  },
  usage: {
    stored: 'us',
    meaning: 'What the answered LLM requests of the task have used',
    value: '<calls>;<tokens in>;<tokens out>;<ms>',
    writers: [...ANSWERS],
    absent: 'until an LLM request of the task is answered',
  },
  idempotency: {
    stored: 'id',
    meaning: 'The idempotency key that started the task, as its record is named',
    value: 'digest',
    writers: ['task/open'],
    absent: 'for a task without one, and in records of an earlier release',
  },
  retries: {
    stored: 'rt',
    meaning: 'The last 20 retries of the task, each with the failure that it went on from',
    value: '<ms> <JSON: by, failedAt in ms, code, message> each, separated by line feeds',
    writers: ['task/retry'],
    absent: 'until the task is retried',
  },
  rewind: {
    stored: 'rw',
    meaning: 'Whether the journal is to be taken back before the program runs on',
    value: '1',
    writers: ['task/retry', 'task/rewind'],
    absent: 'unless the task was retried, and no worker has begun it since',
  },
  parent: {
    stored: 'pa',
    meaning: "The workflow's task that this one is a step of, and what that calls this one",
    value: '<ref> <task id>',
    writers: ['workflow/record_progress'],
    absent: 'unless a step of a workflow has started the task',
  },
  revision: {
    stored: 'rv',
    meaning: 'How often the progress of a workflow has changed: a change that was made of another is refused',
    value: 'count',
    writers: ['workflow/record_progress', ...ENDS_STEPS],
    absent: 'until the first change, and for a task that is no workflow: it is 0',
  },
  progress: {
    stored: 'p:',
    suffix: '<path>',
    meaning:
      'How a workflow stands: `s<n>` a step, `r<n>` what was read for it, `e.<tool>` a call beside the steps, `c.<task>` a task that a step has started, `d.<task>` how that ended, `stop` why the latest run stopped',
    value: 'JSON',
    writers: ['workflow/record_progress', ...ENDS_STEPS, 'retention/strip_tasks'],
    absent: 'until there is something to say',
  },
  journal: {
    stored: 'j:',
    suffix: '<path>',
    meaning: 'The recorded outcome of the effect at a path of the program',
    value: '<kind>, + or - for success or failure, JSON',
    writers: [
      ...ANSWERS,
      'task/open',
      'task/park',
      'task/cancel',
      'deadline/expire',
      'project/commit',
      'conversation/end_turn',
      'task/end_sleep',
      'retention/strip_tasks',
      'task/rewind',
    ],
    absent: 'until the effect has an outcome, and when a finished branch that contains it has collapsed',
  },
  request: {
    stored: 'i',
    suffix: '<number>',
    meaning: 'The request of an interaction',
    value: '<created ms>;<JSON>',
    writers: ['task/open', 'task/park', 'retention/strip_tasks'],
    absent:
      'when it was moved into `past`, as the first ones of many are when they are closed, and when an ended task has lost what is large',
  },
  summary: {
    stored: 's',
    suffix: '<number>',
    meaning: 'What lists show of an LLM request, and what they filter by',
    value:
      '<created ms>;<role>;<service type>;<attempt>;<summary as JSON>, with @<agent id> behind the attempt of a request for an agent',
    writers: ['task/open', 'task/park'],
    absent:
      'when it was moved with its request; for a question to a person, and in records of the layout without it: read it out of `request`',
  },
  answered: {
    stored: 'g',
    suffix: '<number>',
    meaning: 'The receipt of the accepted answer, whose text is in the journal',
    value:
      '<fingerprint>;<ms>;<principal who answered>, and of an LLM request ;<ms that it took>;<tokens in>;<tokens out>;<model>, each empty where the answer gives none',
    writers: [...ANSWERS],
    absent: 'unless the interaction was answered',
  },
  ended: {
    stored: 'x',
    suffix: '<number>',
    meaning: 'How an interaction ended that was not answered',
    value: '<expired or cancelled>;<ms>',
    writers: ['task/settle', 'task/cancel', 'deadline/expire'],
    absent: 'unless the interaction has expired or was cancelled',
  },
  chunk_state: {
    stored: 'c',
    suffix: '<number>',
    meaning: 'How far a streamed answer has come',
    value:
      '<bytes, 64 a chunk at least>;<chunks>;<the first missing sequence, as far as it was looked for>;0, and ;<stream> where that is above 0',
    writers: [...ANSWERS, 'interaction/append_chunk', 'provider/append_call_chunk', 'provider/begin_call'],
    absent: 'unless an answer is being streamed, or was; deleted when it is accepted',
  },
} as const satisfies Record<string, TaskField>;

export type TaskFieldName = keyof typeof TASK_RECORD;

/** The names as stored. */
export const FIELD = Object.fromEntries(
  Object.entries(TASK_RECORD).map(([name, { stored }]) => [name, stored]),
) as { readonly [Name in TaskFieldName]: (typeof TASK_RECORD)[Name]['stored'] };

/** Matches, as a Lua pattern, the fields of single interactions: a replay needs none of them. */
export const INTERACTION_FIELD_PATTERN = `^[${familiesByNumber().join('')}]%d`;

const SUFFIXES = { '<path>': '\\S+', '<number>': '\\d+' };

/** The entry of the legend that a stored field belongs to, or undefined for a field that the legend lacks. */
export function taskFieldNameOf(stored: string): TaskFieldName | undefined {
  const names = Object.keys(TASK_RECORD) as TaskFieldName[];
  return names.find((name) => {
    const field: TaskField = TASK_RECORD[name];
    if (field.suffix === undefined) return stored === field.stored;
    return new RegExp(`^${field.stored}${SUFFIXES[field.suffix]}$`).test(stored);
  });
}

function familiesByNumber(): string[] {
  const fields: TaskField[] = Object.values(TASK_RECORD);
  const numbered = fields.filter(({ suffix }) => suffix === '<number>');
  return [...new Set(numbered.map(({ stored }) => stored))].toSorted();
}
