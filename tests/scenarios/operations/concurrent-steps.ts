import type { LlmRequest } from '@baton/protocol';
import * as fc from 'fast-check';
import { parseRequestFacts } from '../../scripted-agent/request-facts.ts';

/** One call of a client on a project that others use at the same time. */
export interface ConcurrentStep {
  readonly kind: string;
  /** The task that it is about, of those that the project begins with. */
  readonly task: number;
  readonly other: number;
  /** The replica that it is sent to; answers go to the next one. */
  readonly replica: number;
  /** The call is sent twice at once, to both replicas under one idempotency key. */
  readonly startsTwice: boolean;
  /** Each answer is sent twice at once, to both replicas. */
  readonly answersTwice: boolean;
  /** The first answer cannot be read. */
  readonly wrongFirst: boolean;
}

export const FIRST_TASKS = 5;

interface StepKind {
  readonly tool: string;
  readonly args: (step: ConcurrentStep, mark: string) => object;
  /** The `data` of an answer; without it, the tool asks nothing. `mark` is of this request alone. */
  readonly answer?: (request: LlmRequest, mark: string) => NonNullable<unknown>;
  /** How often the project must hold the mark of each answer or call that was committed; undefined where others may overwrite it. */
  readonly marks: 0 | 1 | undefined;
}

const described = (title: string) => ({ title, description: 'd' });
const idsOf = (request: LlmRequest) => parseRequestFacts(request.messages).ids;

/** What a step may be. No kind takes away what another one has added. */
export const STEP_KINDS: Readonly<Record<string, StepKind>> = {
  parse_prd: {
    tool: 'parse_prd',
    args: () => ({ prd: 'A shop that sells tea.', numTasks: 2, append: true }),
    answer: (_request, mark) => ({
      object: {
        tasks: [
          { id: 1, ...described('First') },
          { id: 2, ...described(mark), dependencies: [1] },
        ],
      },
    }),
    marks: 1,
  },
  analyze: {
    tool: 'analyze_project_complexity',
    args: () => ({}),
    answer: (request) => ({
      object: { complexityAnalysis: idsOf(request).map((taskId) => ({ taskId, complexityScore: 3 })) },
    }),
    marks: 0,
  },
  expand_task: {
    tool: 'expand_task',
    args: ({ task }) => ({ id: task, num: 1 }),
    answer: (_request, mark) => ({ object: { subtasks: [{ id: 1, ...described(mark) }] } }),
    marks: 1,
  },
  expand_all: {
    tool: 'expand_all',
    args: () => ({ num: 1, atOnce: 3 }),
    answer: (_request, mark) => ({ object: { subtasks: [{ id: 1, ...described(mark) }] } }),
    marks: 1,
  },
  update: {
    tool: 'update',
    args: ({ task }) => ({ from: task, prompt: 'Use SQLite.' }),
    answer: (request, mark) => ({
      object: { tasks: idsOf(request).map((id) => ({ id, testStrategy: mark })) },
    }),
    marks: undefined,
  },
  update_task: {
    tool: 'update_task',
    args: ({ task }) => ({ id: task, prompt: 'Use SQLite.' }),
    answer: (request, mark) => ({ object: { id: idsOf(request)[0] ?? 1, testStrategy: mark } }),
    marks: undefined,
  },
  append: {
    tool: 'update_task',
    args: ({ task }) => ({ id: task, prompt: 'Note it.', append: true }),
    answer: (_request, mark) => ({ text: mark }),
    marks: 1,
  },
  update_subtask: {
    tool: 'update_subtask',
    args: ({ task }) => ({ id: `${task}.1`, prompt: 'Note it.' }),
    answer: (_request, mark) => ({ text: mark }),
    marks: 1,
  },
  add_task: {
    tool: 'add_task',
    args: () => ({ prompt: 'A search.' }),
    answer: (_request, mark) => ({ object: described(mark) }),
    marks: 1,
  },
  add_task_by_hand: {
    tool: 'add_task',
    args: ({ task }, mark) => ({ ...described(mark), dependencies: `${task}` }),
    marks: 1,
  },
  add_subtask: { tool: 'add_subtask', args: ({ task }, mark) => ({ id: task, title: mark }), marks: 1 },
  add_dependency: {
    tool: 'add_dependency',
    args: ({ task, other }) => ({ id: `${task}`, dependsOn: `${other}` }),
    marks: 0,
  },
  set_task_status: {
    tool: 'set_task_status',
    args: ({ task }) => ({ id: `${task}.1`, status: 'in-progress' }),
    marks: 0,
  },
  move_task: {
    tool: 'move_task',
    args: ({ task, other }) => ({ from: `${task}`, to: `${40 + other}` }),
    marks: 0,
  },
};

const task = fc.integer({ min: 1, max: FIRST_TASKS });

/** Steps that all begin at once. */
export const concurrentSteps: fc.Arbitrary<ConcurrentStep[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(...Object.keys(STEP_KINDS)),
    task,
    other: task,
    replica: fc.integer({ min: 0, max: 1 }),
    startsTwice: fc.boolean(),
    answersTwice: fc.boolean(),
    wrongFirst: fc.boolean(),
  }),
  { minLength: 8, maxLength: 16 },
);
