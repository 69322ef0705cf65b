import { DEFAULT_BUDGETS } from '@baton/engine';
import { type AgentAnswer, type DelegatedCall, type Json, messageText } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { ROLE_PARAMETERS } from '../definition/role-parameters.ts';
import { applyCommand, type Project } from '../project/index.ts';
import { findInvariantViolations } from '../testing/project-invariants.ts';
import { runProgramInMemory, TEST_NOW, objectAnswer } from '../testing/run-program-in-memory.ts';
import { parsePrdInputSchema } from './input.ts';
import { parsePrdOperation } from './program.ts';

const task = (id: unknown, more: Record<string, unknown> = {}) => ({
  id,
  title: `Task ${String(id)}`,
  description: 'What it is',
  ...more,
});
const PLAN = { tasks: [task(1), task(2, { dependencies: [1] })] };

function project(...ids: number[]): Project {
  const tasks = ids.map((id) => ({ id, title: `Old ${id}`, status: 'done' }));
  return applyCommand(undefined, { command: 'import', file: { master: { tasks } } }, TEST_NOW).project;
}

/** Runs parse_prd on what the project `default` is; answers in turn, the last one again and again. */
function run(input: Record<string, unknown>, before?: Project, ...answers: AgentAnswer[]) {
  const projects = new Map(before ? [['default', before]] : []);
  const given = answers.length > 0 ? answers : [objectAnswer(PLAN)];
  const answer = (_call: DelegatedCall, asked: number) =>
    given[Math.min(asked, given.length) - 1] ?? objectAnswer(PLAN);
  const parsed = parsePrdInputSchema.parse({ prd: 'A product.', ...input });
  const { end, ...rest } = runProgramInMemory(parsePrdOperation, parsed, { projects, answer });
  const after = projects.get('default');
  if (after) expect(findInvariantViolations(after)).toEqual([]);
  if (end.status === 'completed')
    expect(parsePrdOperation.result.safeParse(end.result).error).toBeUndefined();
  return { ...rest, end, after, first: rest.calls[0] };
}

const ids = (run: { end: { status: string; result?: Record<string, Json> } }) => run.end.result?.['taskIds'];
const words = (call: DelegatedCall | undefined) => call?.request.messages.map(messageText).join('\n') ?? '';

describe('parse_prd version 1', () => {
  it('reads, asks, commits: its golden transcript', () => {
    expect(run({}).transcript).toEqual(['0 read', '1 llm', '2 commit']);
  });

  it('asks once more for each wrong answer, and pauses before it recalls: its golden transcript', () => {
    const overloaded: AgentAnswer = {
      status: 'error',
      errorDetails: { message: 'busy', type: 'overloaded_error' },
    };
    const answers = [objectAnswer({ tasks: [] }), overloaded, objectAnswer(PLAN)];
    expect(run({}, undefined, ...answers).transcript).toEqual([
      '0 read',
      '1 llm',
      '2 llm',
      '3 sleep',
      '4 llm',
      '5 commit',
    ]);
  });

  it('refuses a tag with tasks before it asks anybody: its golden transcript', () => {
    expect(run({}, project(1)).transcript).toEqual(['0 read']);
  });

  it('asks the main model for an object, with the schema of its answer', () => {
    const { first } = run({});
    expect(first).toMatchObject({
      role: 'main',
      serviceType: 'generateObject',
      attempt: 1,
      request: {
        apiKey: null,
        objectName: 'tasks_data',
        maxTokens: 64_000,
      },
    });
    expect(first?.request.schema).toMatchObject({
      type: 'object',
      required: ['tasks'],
      properties: {
        tasks: {
          type: 'array',
          minItems: 1,
          items: { required: ['id', 'title', 'description', 'details', 'testStrategy'] },
        },
      },
    });
  });

  it('asks the research model with research', () => {
    expect(run({ research: true }).first).toMatchObject({
      role: 'research',
      request: { maxTokens: ROLE_PARAMETERS.research.maxTokens },
    });
  });

  it('gives back what it added', () => {
    expect(run({ projectRoot: 'default', tag: 'v2' }).end).toEqual({
      status: 'completed',
      result: {
        projectRoot: 'default',
        tag: 'v2',
        tasksAdded: 2,
        taskIds: [1, 2],
        created: 'project',
        tasks: [
          expect.objectContaining({ id: 1, status: 'pending', priority: 'medium' }),
          expect.objectContaining({ id: 2, dependencies: [1] }),
        ],
      },
    });
  });

  it('names the dependencies that it ignored: on nothing, on the task itself, in a circle', () => {
    const tasks = [task(1, { dependencies: [2] }), task(2, { dependencies: [1, 2, 99] })];
    const { end } = run({ append: true }, project(1, 2, 3), objectAnswer({ tasks }));
    expect(end).toMatchObject({
      result: {
        tasks: [
          { id: 4, dependencies: [] },
          { id: 5, dependencies: [4] },
        ],
        dependenciesIgnored: ['5 → 2', '5 → 99', '4 → 5'],
      },
    });
  });

  it('begins every task pending, and names the statuses that it ignored', () => {
    const { end } = run({}, undefined, objectAnswer({ tasks: [task(1), task(2, { status: 'finished' })] }));
    expect(end).toMatchObject({
      result: {
        tasks: [{ status: 'pending' }, { status: 'pending' }],
        statusesIgnored: [{ id: '2', status: 'done', reason: 'new' }],
      },
    });
  });
});

describe('a tag that has tasks', () => {
  it('is refused without force or append, naming the count', () => {
    const { end, calls, after } = run({}, project(1, 2, 3));
    expect(end).toMatchObject({ status: 'failed', error: { code: 'tag_not_empty', count: 3 } });
    expect(calls).toEqual([]);
    expect(after).toEqual(project(1, 2, 3));
  });

  it('is refused at the commit too, if it got them while the LLM was at work', () => {
    const projects = new Map<string, Project>();
    const answer = () => {
      projects.set('default', project(1));
      return objectAnswer(PLAN);
    };
    const { end } = runProgramInMemory(parsePrdOperation, parsePrdInputSchema.parse({ prd: 'A product.' }), {
      projects,
      answer,
    });
    expect(end).toMatchObject({ status: 'failed', error: { code: 'tag_not_empty', count: 1 } });
    expect(projects.get('default')).toEqual(project(1));
  });

  it('is replaced with force, numbered from 1', () => {
    const result = run({ force: true }, project(4, 5));
    expect(ids(result)).toEqual([1, 2]);
    expect(result.after?.tags.get('master')?.tasks).toHaveLength(2);
  });

  it('is added to with append, numbered on from its highest id', () => {
    expect(ids(run({ append: true }, project(4, 9)))).toEqual([10, 11]);
  });

  it('is added to, never replaced, with append and force together', () => {
    const { after } = run({ append: true, force: true }, project(1));
    expect(after?.tags.get('master')?.tasks.map(({ title }) => title)).toEqual(['Old 1', 'Task 1', 'Task 2']);
  });

  it('leaves the other tags alone', () => {
    const before = project(1);
    const { after } = run({ tag: 'v2' }, before);
    expect(after?.tags.get('master')).toBe(before.tags.get('master'));
  });

  it('is the current one when none is named', () => {
    const { after } = run(
      { append: true },
      { ...project(1), currentTag: 'next', tags: new Map([['next', { ...empty }]]) },
    );
    expect(after?.tags.get('next')?.tasks).toHaveLength(2);
  });
});

const empty = { tasks: [], metadata: { created: TEST_NOW, updated: TEST_NOW, description: '' }, extra: {} };

describe("what the agent's path of claude-task-master got wrong", () => {
  it('append is not ignored', () => {
    expect(run({ append: true }, project(1)).after?.tags.get('master')?.tasks).toHaveLength(3);
  });

  it('tag is not ignored', () => {
    const { after } = run({ tag: 'v2' }, project(1));
    expect([...(after?.tags.keys() ?? [])]).toEqual(['master', 'v2']);
    expect(after?.tags.get('v2')?.tasks).toHaveLength(2);
  });

  it('ids of two concurrent calls never collide, even when both LLMs used the same ones', () => {
    const projects = new Map([['default', project(1)]]);
    const plan = objectAnswer({ tasks: [task(2), task(3, { dependencies: [2, 1] })] });
    const input = parsePrdInputSchema.parse({ prd: 'A product.', append: true });
    // The second call is read, asked and committed whole while the first one waits for its answer.
    const inner: { end?: unknown } = {};
    const { end } = runProgramInMemory(parsePrdOperation, input, {
      projects,
      answer: () => {
        inner.end ??= runProgramInMemory(parsePrdOperation, input, { projects, answer: () => plan }).end;
        return plan;
      },
    });
    expect(inner.end).toMatchObject({ result: { taskIds: [2, 3] } });
    expect(end).toMatchObject({ result: { taskIds: [4, 5] } });
    const tasks = projects.get('default')?.tags.get('master')?.tasks ?? [];
    expect(tasks.map(({ id, dependencies }) => [id, dependencies])).toEqual([
      [1, []],
      [2, []],
      [3, [2, 1]],
      [4, []],
      [5, [4, 1]],
    ]);
  });

  it('tasks whose ids collide in one answer are not dropped', () => {
    expect(ids(run({}, undefined, objectAnswer({ tasks: [task(1), task(1), task(1)] })))).toEqual([1, 2, 3]);
  });

  it('dependencies on existing tasks survive an append', () => {
    const { after } = run(
      { append: true },
      project(1, 2),
      objectAnswer({ tasks: [task(3, { dependencies: [2] })] }),
    );
    expect(after?.tags.get('master')?.tasks.at(-1)?.dependencies).toEqual([2]);
  });

  it('an error of the agent ends the call with its own words, never [object Object]', () => {
    const failed: AgentAnswer = {
      status: 'error',
      errorDetails: { message: 'no credit left', type: 'billing_error' },
    };
    const { end, calls } = run({}, undefined, failed);
    expect(end).toMatchObject({
      status: 'failed',
      error: { code: 'agent_error', errorDetails: { message: 'no credit left' } },
    });
    expect(JSON.stringify(end)).not.toContain('[object Object]');
    expect(calls).toHaveLength(1);
  });

  it('an answer that is never right ends the call with what was wrong, and changes nothing', () => {
    const { end, calls, after } = run({}, undefined, objectAnswer({ tasks: [{ id: 1 }] }));
    expect(end).toMatchObject({ status: 'failed', error: { code: 'answer_invalid' } });
    expect(calls).toHaveLength(DEFAULT_BUDGETS.maxExceptionRetries + 1);
    expect(words(calls[1])).toContain('tasks.0.title');
    expect(after).toBeUndefined();
  });
});

describe('an answer that is sloppy is read as it is meant', () => {
  it.each([
    ['ids as strings', { tasks: [task('1'), task('2', { dependencies: ['1'] })] }],
    ['dependencies as a list in words', { tasks: [task(1), task(2, { dependencies: 'Task 1' })] }],
    [
      'wordings of status and priority',
      {
        tasks: [
          task(1, { status: 'todo', priority: 'normal' }),
          task(2, { status: 'TODO', dependencies: [1] }),
        ],
      },
    ],
    [
      'null for what is left out',
      {
        tasks: [
          task(1, { details: null, dependencies: null, priority: null }),
          task(2, { dependencies: [1], status: null }),
        ],
        metadata: null,
      },
    ],
    ['a bare list', [task(1), task(2, { dependencies: [1] })]],
    [
      'metadata of its own',
      { tasks: [task(1), task(2, { dependencies: [1] })], metadata: { projectName: 'X' } },
    ],
  ])('%s', (_what, data) => {
    const clean = run({}).end;
    const sloppy = run({}, undefined, {
      status: 'success',
      data: { text: `\`\`\`json\n${JSON.stringify(data)}\n\`\`\`` },
    }).end;
    const shape = (end: typeof clean) =>
      end.status === 'completed'
        ? (end.result['tasks'] as { id: number }[]).map((got) => ({ ...got, title: '' }))
        : end;
    expect(shape(sloppy)).toEqual(shape(clean));
  });

  it('long text as a list of lines', () => {
    const { after } = run(
      {},
      undefined,
      objectAnswer({ tasks: [task(1, { details: ['First.', 'Second.'] })] }),
    );
    expect(after?.tags.get('master')?.tasks[0]?.details).toBe('First.\nSecond.');
  });
});

describe('an answer that would lose something is asked for again, naming the field', () => {
  it.each([
    ['no tasks', { tasks: [] }, 'tasks'],
    ['no title', { tasks: [{ id: 1, description: '' }] }, 'tasks.0.title'],
    ['a blank title', { tasks: [task(1, { title: '  ' })] }, 'tasks.0.title'],
    ['no id', { tasks: [task(undefined)] }, 'tasks.0.id'],
    [
      'an unknown status',
      { tasks: [task(1, { status: 'asleep' })] },
      'tasks.0.status: must be one of pending',
    ],
    [
      'an unknown priority',
      { tasks: [task(1, { priority: 'plaid' })] },
      'tasks.0.priority: must be one of critical, high',
    ],
    [
      'a dependency in prose',
      { tasks: [task(1, { dependencies: ['the setup'] })] },
      'tasks.0.dependencies.0',
    ],
    ['a plan of thousands', { tasks: Array.from({ length: 501 }, (_, at) => task(at + 1)) }, 'tasks'],
  ])('%s', (_what, wrong, named) => {
    const { calls, end } = run({}, undefined, objectAnswer(wrong), objectAnswer(PLAN));
    expect(calls.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(calls[1]?.request.messages.at(-1)?.content).toContain(named);
    expect(end.status).toBe('completed');
  });
});
