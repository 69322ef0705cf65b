import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callTool } from '../harness/mcp-client.ts';
import { createTemporaryFolder } from '../processes/temporary-folder.ts';
import { WorkflowFixture } from '../workflows/workflow-fixture.ts';
import { runBaton } from './run-baton.ts';

const folder = createTemporaryFolder('workflows');
let fixture: WorkflowFixture;
let environment: Record<string, string>;

beforeAll(async () => {
  fixture = await WorkflowFixture.start();
  const key = await fixture.baton.createKey({ scopes: ['admin', 'mcp'], principal: 'admin' });
  environment = { BATON_URL: fixture.baton.url(), BATON_API_KEY: key };
  await callTool(fixture.clients[0], 'add_task', { projectRoot: 'shop', title: 'Dig', description: 'Dig.' });
});
afterAll(() => fixture?.stop());

/** Types `baton workflows ...`. */
const baton = (args: readonly string[], env: Readonly<Record<string, string>> = environment) =>
  runBaton(['workflows', ...args], { cwd: folder, environment: env });

function write(path: string, content: string): string {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), content);
  return path;
}

const BEGIN = `# Begins what is next
name: begin
description: begin the next task
arguments: [{ name: project, required: true }]
steps:
  - { name: find, tool: next_task, arguments: { projectRoot: '{{args.project}}' } }
  - name: begin
    tool: set_task_status
    arguments: { projectRoot: '{{args.project}}', id: '{{steps.find.task.id}}', status: in-progress }
`;
const SHOW = {
  name: 'show',
  description: 'show a task',
  steps: [{ name: 's', tool: 'get_task', arguments: { id: 77 } }],
};

test('definitions of a folder are stored, listed, shown as what can be stored again, and deleted', async () => {
  write('plans/begin.yaml', BEGIN);
  write('plans/show.json', JSON.stringify(SHOW));
  write('plans/notes.md', 'no definition');
  expect(await baton(['apply', 'plans'])).toEqual({
    code: 0,
    said: 'begin is version 1 (plans/begin.yaml)\nshow is version 1 (plans/show.json)\n',
    complaints: '',
  });
  const { said } = await baton(['list']);
  expect(said.split('\n').slice(0, 2)).toEqual([
    'name   version  steps  description',
    'begin  1        2      begin the next task',
  ]);
  const shown = await baton(['show', 'begin']);
  write('plans/begin.yaml', shown.said.replace('begin the next task', 'begin whatever is next'));
  expect((await baton(['apply', 'plans/begin.yaml', '--dry-run'])).said).toContain(
    'begin would be version 2',
  );
  expect((await baton(['apply', 'plans/begin.yaml'])).said).toContain('begin is version 2');
  const history = await baton(['history', 'begin', '--json']);
  expect(JSON.parse(history.said)).toMatchObject([{ version: 2 }, { version: 1, storedBy: 'admin' }]);
  expect((await baton(['delete', 'show'])).code).toBe(0);
  expect(await baton(['show', 'show'])).toMatchObject({
    code: 1,
    said: '',
    complaints: expect.stringMatching(/^baton: .*no workflow 'show'/),
  });
});

test('what is wrong with a file is told with its step and its field, and keeps no other file back', async () => {
  const broken = {
    ...SHOW,
    name: 'broken',
    steps: [{ name: 'go', tool: 'set_task_status', arguments: { status: 'asleep', size: 1 } }],
  };
  write('mixed/a-broken.json', JSON.stringify(broken));
  write('mixed/b-open.yaml', 'name: [');
  write('mixed/c-nameless.yml', 'description: d');
  write('mixed/e-template.yaml', BEGIN.replaceAll("'{{args.project}}'", '{{args.project}}'));
  write('mixed/f-two.yaml', `${BEGIN}---\n${BEGIN}`);
  write('mixed/d-good.yaml', BEGIN.replace('name: begin', 'name: good'));
  const { code, said, complaints } = await baton(['apply', 'mixed']);
  expect(code).toBe(1);
  expect(said).toBe('good is version 1 (mixed/d-good.yaml)\n5 of 6 files were refused.\n');
  expect(complaints).toContain(
    "mixed/a-broken.json: step 'go': steps.0.arguments.size: tool 'set_task_status' has no argument 'size'",
  );
  expect(complaints).toContain("mixed/a-broken.json: step 'go': steps.0.arguments.status: must be one of");
  expect(complaints).toContain("mixed/e-template.yaml: put templates in quotes: '{{args.project}}'");
  expect(complaints).toContain("mixed/f-two.yaml: it holds several documents, divided by '---'; give one");
  expect(complaints).toMatch(/mixed\/b-open\.yaml: .* at line 1, column 8/);
  expect(complaints).toContain('mixed/c-nameless.yml: name: is missing, or is no text');
  const { said: json } = await baton(['apply', 'mixed', '--json']);
  expect(JSON.parse(json)).toMatchObject([
    { file: 'mixed/a-broken.json', problems: [{ step: 'go', field: 'steps.0.arguments.size' }, {}] },
    { problems: [{}] },
    { problems: [{}] },
    { file: 'mixed/d-good.yaml', name: 'good', version: 1 },
    { problems: [{}] },
    { problems: [{}] },
  ]);
});

test('a run is printed for a person, and its exit code says whether something is left', async () => {
  const done = await baton(['run', 'good', '--arg', 'project=shop']);
  expect(done.code).toBe(0);
  expect(done.said).toContain(
    `user:\n  I want to begin the next task\n\n  Parameters:\n  - project: "shop"\n`,
  );
  expect(done.said).toContain("assistant:\n  Calling tool 'next_task' with parameters:\n");
  expect(done.said).toMatch(/Task \S+ is completed\.\n$/);
  const left = await baton(['run', 'good', '--arg', 'project=nowhere', '--json', '--idempotency-key', 'k']);
  expect(left.code).toBe(2);
  const again = await baton(['run', 'good', '--arg', 'project=nowhere', '--json', '--idempotency-key', 'k']);
  expect(again).toEqual(left);
  expect(JSON.parse(left.said)).toMatchObject({ _meta: { task_status: 'working' } });
});

test("what a terminal would obey is taken out of others' words", async () => {
  await fixture.put('colours', [{ name: 'note', guidance: 'red \u001b[31m and on \u0007' }]);
  const { said } = await baton(['run', 'colours']);
  expect(said).toContain('red ');
  expect(said).not.toContain('\u001b');
  expect(said).not.toContain('\u0007');
});

test.each<[string, readonly string[], Record<string, string>, number, RegExp]>([
  ['no address', ['list'], {}, 78, /^baton: BATON_URL is not set, and there is no /],
  [
    'an address that is none',
    ['list'],
    { BATON_URL: 'nowhere' },
    78,
    /^baton: BATON_URL=nowhere: must be an address/,
  ],
  ['no key', ['list'], { BATON_URL: 'http://127.0.0.1:9' }, 78, /^baton: BATON_API_KEY is not set/],
  [
    'nothing that listens',
    ['list'],
    { BATON_URL: 'http://127.0.0.1:9', BATON_API_KEY: 'x' },
    69,
    /^baton: Baton at .*gives no answer/,
  ],
  [
    'a file that is not there',
    ['apply', 'nothing.yaml'],
    { BATON_URL: 'http://127.0.0.1:9', BATON_API_KEY: 'x' },
    78,
    /^baton: nothing\.yaml: there is no such file/,
  ],
  [
    'an argument without a value',
    ['run', 'good', '--arg', 'project'],
    { BATON_URL: 'http://127.0.0.1:9', BATON_API_KEY: 'x' },
    64,
    /--arg project: must be <name>=<value>/,
  ],
])('%s is told in one line', async (_claim, args, env, code, message) => {
  const ended = await baton(args, env);
  expect(ended).toMatchObject({ code, said: '' });
  expect(ended.complaints).toMatch(message);
  expect(ended.complaints.trim().split('\n')).toHaveLength(1);
});

test('a key that Baton refuses is a setting, and what a run is refused for is told', async () => {
  const url = fixture.baton.url();
  expect(await baton(['list'], { BATON_URL: url, BATON_API_KEY: 'bt_x' })).toMatchObject({ code: 78 });
  const mcpOnly = { BATON_URL: url, BATON_API_KEY: fixture.key };
  expect(await baton(['delete', 'good'], mcpOnly)).toMatchObject({
    code: 77,
    complaints: expect.stringContaining('insufficient_scope'),
  });
  expect(await baton(['run', 'good'])).toMatchObject({
    code: 1,
    complaints: expect.stringContaining('arguments.project: is required'),
  });
});
