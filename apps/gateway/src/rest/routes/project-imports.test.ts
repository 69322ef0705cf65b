import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestTenant, type TestReplicas, startTestReplicas } from '../testing/test-replicas.ts';

/** What becomes of a tasks.json that is not as claude-task-master writes it: what can be kept is kept, and said. */
let replicas: TestReplicas;
beforeAll(async () => {
  replicas = await startTestReplicas();
});
afterAll(() => replicas.stop());

/** Puts a file over one replica, and reads the project over the other. */
async function importFile(json: object) {
  const { one, other } = replicas;
  const { mcp } = await createTestTenant(one);
  const strict = await one.send('PUT', '/v1/projects/over?strict=true', { token: mcp, json });
  const put = await one.send('PUT', '/v1/projects/over', { token: mcp, json });
  expect(put.status).toBe(200);
  expect(strict.body.problems ?? []).toEqual(put.body.repairs);
  const got = await other.send('GET', '/v1/projects/over', { token: mcp });
  return { put: put.body, got: got.body, problems: problemsByPlace(put.body.repairs) };
}

function problemsByPlace(repairs: readonly { place: string; problem: string }[]): Record<string, string> {
  return Object.fromEntries(repairs.map(({ place, problem }) => [place, problem]));
}

test('what the metadata of a task has already is never replaced by what has no place', async () => {
  const task = {
    id: 1,
    title: 'a',
    description: 'd',
    status: 'waiting for Bob',
    dependencies: ['JIRA-1'],
    subtasks: ['a word'],
    metadata: { status: 'jira: OPEN', dependencies: ['keep me'], subtasks: 'precious', k: 1 },
  };
  const { got, problems } = await importFile({ master: { tasks: [task] } });
  expect(got.master.tasks[0].metadata).toEqual({
    ...task.metadata,
    'status-2': 'waiting for Bob',
    'dependencies-2': ['JIRA-1'],
    'subtasks-2': ['a word'],
  });
  expect(problems['master.tasks.0.status']).toContain('"waiting for Bob" is under metadata.status-2');
  expect(problems['master.tasks.0.dependencies']).toContain('metadata.dependencies-2');
  expect(problems['master.tasks.0.subtasks']).toContain('metadata.subtasks-2');
});

test('what the metadata of a tag has already is never replaced by fields of the file, or by what is no task', async () => {
  const metadata = { version: 7, description: 'mine', tasks: 'precious', 'version-2': 'mine too' };
  const { got, problems } = await importFile({
    version: '1.0',
    description: 'of the file',
    other: 1,
    master: { tasks: ['a word'], metadata },
  });
  expect(got.master.metadata).toMatchObject({
    ...metadata,
    'version-3': '1.0',
    'description-2': 'of the file',
    'tasks-2': ['a word'],
    other: 1,
  });
  expect(problems['version']).toContain("metadata.version-3 of 'master'");
  expect(problems['description']).toContain('metadata.description-2');
  expect(problems['master.tasks']).toContain('metadata.tasks-2');
});

test('metadata is not added where nothing is kept in it', async () => {
  const { got } = await importFile({ master: { tasks: [{ id: 1, title: '', description: 'd' }] } });
  expect(got.master.tasks[0]).toMatchObject({ title: 'Task 1' });
  expect(got.master.tasks[0]).not.toHaveProperty('metadata');
});

const named = (title: string) => ({ id: 1, title, description: 'd' });

test('tasks beside tags hide no tag: they are the default tag, or one of a free name', async () => {
  const both = { tasks: [named('old')], master: { tasks: [named('new')] } };
  const { put, got, problems } = await importFile(both);
  expect(put.taskCounts).toEqual({ 'master-2': 1, master: 1 });
  expect([got['master-2'].tasks[0].title, got.master.tasks[0].title]).toEqual(['old', 'new']);
  expect(problems).toEqual({
    tasks: "stand beside tags, and 'master' is another; they are the tag 'master-2' now",
  });
  const other = await importFile({
    later: { tasks: [named('new')], metadata: { description: 'Later' } },
    tasks: [named('old')],
    metadata: { description: 'Old', projectName: 'P' },
    version: 1,
  });
  expect(other.put.currentTag).toBe('master');
  expect(other.got.master).toMatchObject({
    tasks: [{ title: 'old' }],
    metadata: { description: 'Old', projectName: 'P' },
  });
  expect(other.got.later.metadata).toMatchObject({ description: 'Later', version: 1 });
  expect(Object.keys(other.problems)).toEqual(['tasks', 'version']);
});

test('a valid name of a tag is never given to another, and the others get the nearest that are free', async () => {
  const tag = (title: string) => ({ tasks: [named(title)] });
  const { got, problems } = await importFile({
    'a/b': tag('slash'),
    'a b': tag('blank'),
    'a-b': tag('valid'),
    'a-b-2': tag('valid too'),
  });
  const titles = Object.keys(got).map((name) => [name, got[name].tasks[0].title]);
  expect(titles).toEqual([
    ['a-b-3', 'slash'],
    ['a-b-4', 'blank'],
    ['a-b', 'valid'],
    ['a-b-2', 'valid too'],
  ]);
  expect(problems).toEqual({
    'a/b': "a tag must be 1 to 64 letters, digits or - _ .; it is 'a-b-3' now",
    'a b': "a tag must be 1 to 64 letters, digits or - _ .; it is 'a-b-4' now",
  });
});

test('dependencies on ids that are none follow the tasks and subtasks that had them', async () => {
  const part = (id: unknown, ...dependencies: unknown[]) => ({ ...named('part'), id, dependencies });
  const tasks = [
    { ...named('first'), id: 'a1b2-uuid', dependencies: [] },
    { ...named('second'), id: 'T-7', dependencies: ['a1b2-uuid', 'nothing'] },
    {
      ...named('third'),
      id: 0,
      dependencies: ['T-7', 9, ' T-7.b '],
      subtasks: [part('a'), part('b', 'a', 'T-7', 'T-8.a')],
    },
    { ...named('fourth'), id: 9, dependencies: ['only-there'], subtasks: [part('only-there'), part('a')] },
    {
      ...named('fifth'),
      id: 'T-8',
      dependencies: ['a', 0, 'only-there'],
      subtasks: [part('a'), part(2, 'a')],
    },
  ];
  tasks[1] = { ...tasks[1], subtasks: [part('a'), part('b')] } as never;
  const { got, problems } = await importFile({ master: { tasks } });
  const shown = got.master.tasks.map(({ id, dependencies, metadata, subtasks }: Shown) => [
    id,
    dependencies,
    metadata?.dependencies,
    subtasks.map((subtask) => [subtask.id, subtask.dependencies]),
  ]);
  expect(shown).toEqual([
    [10, [], undefined, []],
    [
      11,
      [10],
      ['nothing'],
      [
        [1, []],
        [2, []],
      ],
    ],
    [
      12,
      [11, 9, '11.2'],
      undefined,
      [
        [1, []],
        [2, [1, 11, '13.3']],
      ],
    ],
    [
      9,
      [],
      undefined,
      [
        [1, []],
        [2, []],
      ],
    ],
    // More than one subtask has the id `a`, so that to another task it names nothing.
    [
      13,
      [12, '9.1'],
      ['a'],
      [
        [3, []],
        [2, [3]],
      ],
    ],
  ]);
  expect(problems).toMatchObject({
    'master.tasks.2.dependencies': 'is ["T-7",9," T-7.b "]; it is [11,9,"11.2"] now',
    // That of a task on its own subtask.
    'master.tasks.3.dependencies': expect.stringContaining('closes a cycle'),
  });
});

test('a repair says what is there now, and where in the file in one way', async () => {
  const subtasks = ['none', { ...named('part'), dependencies: [77] }];
  const tasks = [
    'none',
    { id: 5, title: '', status: 'asleep', subtasks: null, dependencies: [99, 99] },
    { ...named('T'), subtasks },
  ];
  const { problems } = await importFile({ master: { tasks } });
  expect(problems).toMatchObject({
    'master.tasks.1.title': 'must not be empty; it is "Task 5" now',
    'master.tasks.1.status': expect.stringMatching(/"asleep" is under metadata.status; it is "pending" now$/),
    'master.tasks.1.subtasks': 'is null; it is [] now',
    'master.tasks.1.dependencies': 'that of 5 on 99 names nothing; it is left out',
    'master.tasks.2.subtasks.1.dependencies': 'that of 1.1 on 77 names nothing; it is left out',
  });
});

test('a file that is too large for a project is refused with what it would take, what is allowed, and a way out', async () => {
  const { one } = replicas;
  const { mcp } = await createTestTenant(one, { projectBytes: 20_000 });
  const tasks = [1, 2, 3].map((id) => ({ ...named('T'), id, details: 'x'.repeat(10_000) }));
  const put = async (count: number) =>
    one.send('PUT', '/v1/projects/p', { token: mcp, json: { master: { tasks: tasks.slice(0, count) } } });
  const refused = await put(3);
  expect([refused.status, refused.body]).toMatchObject([
    413,
    { code: 'limit_storage', limit: 'projectBytes', most: 20_000, used: 0, needed: expect.any(Number) },
  ]);
  expect(refused.body.needed).toBeGreaterThan(30_000);
  expect(refused.body.detail).toMatch(
    `The file would take ${refused.body.needed} bytes as a project, and the tenant's limit 'projectBytes' allows 20000.`,
  );
  expect(refused.body.detail).not.toMatch(/Delete/);
  expect((await put(1)).status).toBe(200);
  expect((await put(3)).body.needed).toBe(refused.body.needed);
});

interface Shown {
  readonly id: number;
  readonly dependencies: unknown[];
  readonly metadata?: { readonly dependencies: unknown[] };
  readonly subtasks: readonly Shown[];
}
