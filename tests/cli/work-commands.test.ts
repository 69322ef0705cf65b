import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InProcessDeployment, OPERATOR_TOKEN } from '../harness/in-process-deployment.ts';
import { type AnyJson, callTool, connectMcpClient } from '../harness/mcp-client.ts';
import { createTemporaryFolder } from '../processes/temporary-folder.ts';
import { runBaton } from './run-baton.ts';

/** Work in a terminal, as typed, by the built command: call, pending, show, answer, cancel, tasks, projects, tenants and keys. */
const folder = createTemporaryFolder('work');
let deployment: InProcessDeployment;
let environment: Record<string, string>;

beforeAll(async () => {
  deployment = await InProcessDeployment.start({ gateways: 1, workers: 1 });
  const key = await deployment.createKey({ scopes: ['mcp', 'agent', 'admin'], principal: 'typist' });
  environment = { BATON_URL: deployment.url(), BATON_API_KEY: key };
});
afterAll(() => deployment?.stop());

const baton = (args: readonly string[], more: Record<string, string> = {}) =>
  runBaton(args, { cwd: folder, environment: { ...environment, ...more } });
const json = async (...args: readonly string[]): Promise<AnyJson> =>
  JSON.parse((await baton([...args, '--json'])).said);
const plan = (...titles: string[]) =>
  JSON.stringify({ tasks: titles.map((title, at) => ({ id: at + 1, title, description: `${title}.` })) });

test('a document becomes tasks: called, listed, read and answered by hand', async () => {
  writeFileSync(join(folder, 'shop.txt'), 'A shop that sells three kinds of tea.');
  const called = await baton(['call', 'parse_prd', 'prd=@shop.txt', 'numTasks=2', 'projectRoot=shop']);
  expect(called).toMatchObject({ code: 0, complaints: '' });
  const [, id = ''] = /baton answer (\S+) @answer\.json/.exec(called.said) ?? [];
  expect(called.said, 'by its summary, as one of several').toMatch(new RegExp(`^${id} .*Plan tasks`, 'm'));
  expect((await baton(['pending', '-q'])).said).toBe(`${id}\n`);
  expect((await baton(['pending'])).said).toMatch(new RegExp(`^${id}  parse_prd  typist .*Plan tasks`, 'm'));
  expect((await baton(['show', id])).said).toContain('A shop that sells three kinds of tea.');
  const answered = await baton(['answer', id, plan('Catalogue', 'Basket')]);
  expect(answered.code).toBe(0);
  expect(answered.said).toMatch(/^The answer is taken\. The task \S+ is completed\./);
  expect(answered.said).toMatch(/^2 +pending +medium +Basket$/m);
  expect((await json('call', 'next_task', 'projectRoot=shop')).task.title).toBe('Catalogue');
  expect((await baton(['answer', id, plan('Catalogue', 'Basket')])).said).toContain('was taken before');
  expect(await baton(['answer', id, plan('Another')])).toMatchObject({
    code: 1,
    complaints: expect.stringContaining('was answered before'),
  });
  const [taskId = ''] = (await baton(['tasks', '-q', '--operation', 'parse_prd'])).said.split('\n');
  const shown = await baton(['show', taskId]);
  expect(shown.said).toMatch(/interaction_answered +\S+ typist/);
});

describe('an answer', () => {
  const park = async () => (await json('call', 'bench_echo', 'text=x')).interactionId as string;

  test('comes from a file, from standard input, or as an envelope of its own', async () => {
    writeFileSync(join(folder, 'answer.json'), '```json\n{"value":"from a file"}\n```\n');
    expect(await json('answer', await park(), '@answer.json')).toMatchObject({
      outcome: { status: 'completed' },
    });
    const envelope = { status: 'success', data: { object: { value: 'v' }, model: 'm' } };
    expect(await json('answer', await park(), JSON.stringify(envelope))).toMatchObject({
      outcome: { result: { value: 'v' } },
    });
    const piped = spawn(
      process.execPath,
      [new URL('../../dist/baton.js', import.meta.url).pathname, 'answer', await park(), '--json'],
      {
        cwd: folder,
        env: { ...process.env, ...environment },
      },
    );
    piped.stdin.end('{"value":"piped"}');
    const closed = once(piped, 'close');
    expect(JSON.parse(await text(piped.stdout))).toMatchObject({ outcome: { result: { value: 'piped' } } });
    expect(await closed).toEqual([0, null]);
  });

  test('that does not fit is asked for again, and an LLM that failed is told: neither exits with 0', async () => {
    const misfit = await baton(['answer', await park(), '{"colour":1}']);
    expect(misfit.code).toBe(1);
    const [, again = ''] = /baton answer (\S+)/.exec(misfit.said) ?? [];
    const failed = await baton(['answer', again, '--error', 'the model is down']);
    expect(failed).toMatchObject({ code: 1, said: expect.stringContaining('the model is down') });
  });

  test('is no more needed once its task or its request is taken back', async () => {
    const { taskId, interactionId } = await json('call', 'bench_echo', 'text=x');
    expect((await baton(['cancel', interactionId])).said).toContain('is cancelled');
    const other = await json('call', 'bench_echo', 'text=x');
    expect((await baton(['cancel', other.taskId])).said).toBe(`The task ${other.taskId} is cancelled.\n`);
    expect((await json('tasks', '--status', 'cancelled')).map((one: AnyJson) => one.taskId)).toContain(
      other.taskId,
    );
    expect(taskId).not.toBe(other.taskId);
  });
});

describe('arguments of a call', () => {
  test.each<[string, readonly string[]]>([
    ['words', ['title=1.10', 'description=a=b', 'projectRoot=words']],
    ['one JSON object', ['{"title":"1.10","description":"a=b","projectRoot":"words"}']],
    ['a file', ['@task.yaml']],
    ['JSON by name', ['title:="1.10"', 'description=a=b', 'projectRoot=words']],
  ])('are %s', async (_claim, words) => {
    writeFileSync(join(folder, 'task.yaml'), 'title: "1.10"\ndescription: a=b\nprojectRoot: words\n');
    await baton(['call', 'initialize_project', 'projectRoot=words']);
    const { task } = await json('call', 'add_task', ...words);
    expect(task).toMatchObject({ title: '1.10', description: 'a=b' });
  });

  test.each<[string, readonly string[], RegExp]>([
    ['a word without a value', ['next'], /^baton: next: arguments are one JSON object/],
    ['half of a JSON object', ['{"tag":'], /^baton: \{"tag":: is not JSON/],
    ['a list', ['@list.json'], /must hold an object/],
    ['a limit that is none', [], /--limit 0/],
  ])('%s is a mistake of the command line: 64', async (claim, words, message) => {
    writeFileSync(join(folder, 'list.json'), '[1]');
    const args = claim.includes('limit') ? ['tasks', '--limit', '0'] : ['call', 'next_task', ...words];
    const ended = await baton(args);
    expect(ended).toMatchObject({ code: 64, said: '' });
    expect(ended.complaints).toMatch(message);
  });
});

test('an exit code says what is wrong: the command line, the address, the scope, the key, the request', async () => {
  writeFileSync(join(folder, 'list.json'), '[1]');
  const weak = await deployment.createKey({ scopes: ['agent'] });
  for (const [args, more, code, message] of [
    [['nonsense'], {}, 64, "unknown command 'nonsense'"],
    [['call'], {}, 64, 'missing required argument'],
    [['tasks'], { BATON_URL: 'http://127.0.0.1:19' }, 69, 'http://127.0.0.1:19/v1/tasks'],
    [['call', 'next_task'], { BATON_API_KEY: weak }, 77, 'insufficient_scope'],
    [['tasks'], { BATON_API_KEY: 'bt_acme_mistyped' }, 78, 'BATON_API_KEY=(hidden)'],
    [['call', 'get_task', 'id=9', 'projectRoot=nowhere'], {}, 1, 'nowhere'],
    [['call', 'no_such_tool'], {}, 1, 'There is no tool'],
    [['tenants', '--tenant', 'other'], {}, 64, '--tenant other: baton tenants takes none'],
    [['projects', 'import', 'p', 'list.json'], {}, 78, 'list.json: holds an array; it must be an object'],
  ] as const) {
    const ended = await baton(args, more);
    expect([args, ended.code, ended.said]).toEqual([args, code, '']);
    expect(ended.complaints).toContain(message);
  }
});

test('nothing that others wrote moves the cursor of a terminal, in tables, records and JSON', async () => {
  const client = await connectMcpClient(deployment.url(), environment['BATON_API_KEY'] ?? '');
  const title = 'red \u001b[31m\rowned \u009b2J\u202e';
  await callTool(client, 'initialize_project', { projectRoot: 'evil\u001b[2J' });
  await callTool(client, 'initialize_project', { projectRoot: 'evil' });
  await callTool(client, 'add_task', { projectRoot: 'evil', title, description: title });
  await client.close();
  for (const args of [
    ['projects'],
    ['projects', '--json'],
    ['call', 'get_tasks', 'projectRoot=evil'],
    ['call', 'get_task', 'id=1', 'projectRoot=evil'],
    ['call', 'get_tasks', 'projectRoot=evil', '--json'],
    ['projects', 'export', 'evil'],
  ]) {
    const { said, code } = await baton(args);
    expect([args, code]).toEqual([args, 0]);
    // oxlint-disable-next-line no-control-regex -- these are what a terminal obeys
    expect(said).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  }
  expect((await json('call', 'get_task', 'id=1', 'projectRoot=evil')).task.title).toBe(title);
});

test('projects go out and in again as they were, and are deleted', async () => {
  const before = await baton(['projects', 'export', 'shop']);
  writeFileSync(join(folder, 'tasks.json'), before.said);
  expect((await baton(['projects', 'import', 'copy', 'tasks.json'])).said).toBe(
    'copy has its tasks from the file: 2 in master.\n',
  );
  expect(JSON.parse((await baton(['projects', 'export', 'copy'])).said)).toEqual(JSON.parse(before.said));
  expect((await baton(['projects', 'import', 'copy', 'tasks.json'])).said).toBe(
    'copy has its tasks from the file: 2 in master. They replace what it had: 2 tasks.\n',
  );
  writeFileSync(join(folder, 'damaged.json'), '{"master":{"tasks":[{"id":1,"title":"","description":"d"}]}}');
  expect(await baton(['projects', 'import', 'copy', 'damaged.json', '--strict'])).toMatchObject({
    code: 1,
    complaints: expect.stringContaining('master.tasks.0.title must not be empty'),
  });
  expect(JSON.parse((await baton(['projects', 'export', 'copy'])).said)).toEqual(JSON.parse(before.said));
  expect((await baton(['projects', 'delete', 'copy'])).code).toBe(0);
  expect((await baton(['projects'])).said).not.toContain('copy');
});

test.each([
  ['of a file', 'tasks.json'],
  ['of standard input', '-'],
])(
  'a number %s that JSON would change is refused with its place, and nothing is stored',
  async (_what, from) => {
    const file = '{"master":{"tasks":[{"id":1,"title":"T","description":"","ext":12345678901234567890}]}}';
    writeFileSync(join(folder, 'tasks.json'), file);
    const options = { cwd: folder, environment, input: file };
    const ended = await runBaton(['projects', 'import', 'numbers', from], options);
    expect(ended).toMatchObject({ code: 78, said: '' });
    expect(ended.complaints).toContain(
      `${from}: holds the number 12345678901234567890 at 'master.tasks.0.ext'`,
    );
    expect((await baton(['projects'])).said).not.toContain('numbers');
    const call = await runBaton(['call', 'add_task', '-'], { ...options, input: '{"title":"T","x":1e400}' });
    expect(call).toMatchObject({ code: 78, complaints: expect.stringContaining("1e400 at 'x'") });
  },
);

test('a file that is no JSON is said to be none in words of JSON', async () => {
  writeFileSync(join(folder, 'broken.json'), '{"master":{"tasks":[');
  const ended = await baton(['projects', 'import', 'broken', 'broken.json']);
  expect(ended).toMatchObject({ code: 78, said: '' });
  expect(ended.complaints).toMatch(/^baton: broken\.json: is not JSON that Baton takes: .*JSON/);
});

describe('an operator', () => {
  const asOperator = (...args: string[]) => baton(args, { BATON_OPERATOR_TOKEN: OPERATOR_TOKEN });

  test('makes a tenant and a key, which calls at once; suspends it, and has it back', async () => {
    const created = await asOperator('tenants', 'create', 'shop', '--name', 'Shop', '--limit', 'openTasks=7');
    expect(created).toMatchObject({ code: 0, said: expect.stringContaining('baton keys create') });
    expect((await asOperator('tenants', 'show', 'shop')).said).toContain('openTasks: 7');
    const made = await asOperator(
      'keys',
      'create',
      'first',
      '--tenant',
      'shop',
      '--scope',
      'mcp',
      '--scope',
      'admin',
    );
    const [key = ''] = made.said.split('\n');
    const own = (...args: string[]) => baton(args, { BATON_API_KEY: key });
    expect((await own('projects')).said).toBe('There are no projects.\n');
    // As an admin of its tenant it has the list too, and makes weaker keys.
    expect((await own('keys')).said).toMatch(/mcp,admin .* first$/m);
    expect((await own('keys', 'create', 'weaker')).code).toBe(0);
    expect((await asOperator('tenants', 'suspend', 'shop')).code).toBe(0);
    expect(await own('projects')).toMatchObject({
      code: 77,
      complaints: expect.stringContaining('tenant_suspended'),
    });
    await asOperator('tenants', 'resume', 'shop');
    expect((await asOperator('tenants')).said).toMatch(/^shop +active .* Shop$/m);
    const [, id = ''] = /^(\S+) .* first$/m.exec((await asOperator('keys', '--tenant', 'shop')).said) ?? [];
    const [rotated = ''] = (await asOperator('keys', 'rotate', id, '--tenant', 'shop')).said.split('\n');
    expect((await own('projects')).code).toBe(78);
    expect((await baton(['projects'], { BATON_API_KEY: rotated })).code).toBe(0);

    expect((await asOperator('tenants', 'delete', 'shop')).complaints).toContain('tenants suspend shop');
    await asOperator('tenants', 'suspend', 'shop');
    expect((await asOperator('tenants', 'delete', 'shop')).said).toBe('Tenant shop is deleted.\n');
    expect((await asOperator('tenants')).said).not.toContain('shop');
  });

  test('gives a key the tools and the dialect of its clients, changes both, and takes the dialect back', async () => {
    const keys = async (action: string, ...args: string[]) => {
      const { said } = await asOperator('keys', action, ...args, '--tenant', 'acme', '--json');
      return JSON.parse(said) as { id: string };
    };
    const made = await keys('create', 'of clients with tasks', '--tools', 'core', '--dialect', 'task');
    expect(made).toMatchObject({ tools: 'core', dialect: 'task' });
    const shown = { name: 'renamed', tools: 'all', dialect: 'tool' };
    const flags = Object.entries(shown).flatMap(([flag, value]) => [`--${flag}`, value]);
    expect(await keys('change', made.id, ...flags)).toMatchObject(shown);
    const change = (dialect: string) =>
      asOperator('keys', 'change', made.id, '--dialect', dialect, '--tenant', 'acme');
    expect(await change('')).toMatchObject({
      code: 0,
      said: `Key ${made.id}, renamed. Tools that are listed to it: all. Dialect: as its clients declare.\n`,
    });
    expect(await change('tasks')).toMatchObject({
      code: 64,
      complaints: expect.stringMatching(
        /'--dialect <dialect>' argument 'tasks' is invalid.* one of: tool, sampling/,
      ),
    });
    expect(await asOperator('keys', 'change', made.id, '--tenant', 'acme')).toMatchObject({
      code: 64,
      complaints: 'baton: nothing to change: give --name, --tools or --dialect\n',
    });
    await keys('change', made.id, '--dialect', 'task');
    const { said } = await asOperator('keys', '--tenant', 'acme');
    expect(said).toMatch(/^key +principal +scopes +tools +dialect /);
    expect(said).toMatch(new RegExp(`^${made.id} .* mcp +all +task .* renamed$`, 'm'));
  });

  test('looks into a tenant, and without its token is told which setting is missing', async () => {
    expect((await asOperator('tasks', '--tenant', 'acme')).code).toBe(0);
    expect(await asOperator('tenants', 'show', 'nobody')).toMatchObject({
      complaints: expect.stringContaining("There is no tenant 'nobody'."),
    });
    expect(await asOperator('tenants', 'create', 'acme')).toMatchObject({
      complaints: expect.stringContaining("Tenant 'acme' exists already."),
    });
    expect(await baton(['tenants'])).toMatchObject({
      code: 78,
      complaints: 'baton: BATON_OPERATOR_TOKEN is not set: tenants are managed with it\n',
    });
  });
});

test('a flag with a wrong value is a wrong command line', async () => {
  for (const [args, told] of [
    [['tasks', '--status', 'foo'], /'--status <status>' argument 'foo' is invalid.*working, input_required/],
    [
      ['keys', 'create', 'x', '--scope', 'foo'],
      /'--scope <scope>' argument 'foo' is invalid.*mcp, agent, admin/,
    ],
    [['tenants', 'remove', 'acme'], /'tenants' has no command 'remove'. It has: list, show, create, /],
    [['projects', 'foo'], /'projects' has no command 'foo'. It has: list, export, import, delete\./],
    [['usage', '--by', 'foo'], /'--by <name>' argument 'foo' is invalid.*day, agent/],
  ] as const)
    expect(await baton(args)).toMatchObject({ code: 64, complaints: expect.stringMatching(told) });
});

test('a shell completes commands and options', async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, said } = await baton(['completion', shell]);
    expect([shell, code]).toEqual([shell, 0]);
    expect(said).toContain('baton complete --');
  }
  const complete = async (...words: string[]) => (await baton(['complete', '--', ...words])).said;
  expect(await complete('pend')).toMatch(/^pending\t/m);
  expect(await complete('keys', 'cr')).toMatch(/^create\t/m);
  expect(await complete('tasks', '--st')).toMatch(/^--status\t/m);
});

test('env names the address and the key for other programs', async () => {
  const { said } = await baton(['env']);
  expect(said).toBe(
    `export BATON_URL='${deployment.url()}/mcp'\nexport BATON_API_KEY='${environment['BATON_API_KEY']}'\n`,
  );
});

test('a task that failed goes on, and is answered then; one that completed does not', async () => {
  const { taskId, interactionId } = await json('call', 'bench_echo', 'text=x');
  expect((await baton(['answer', interactionId, '--error', 'no credit'])).code).toBe(1);
  expect((await baton(['tasks', '-q', '--status', 'failed'])).said).toContain(taskId);
  const retried = await baton(['retry', taskId]);
  expect(retried).toMatchObject({ code: 0, said: expect.stringContaining('waits for an answer of an LLM') });
  const [asked] = (await json('pending')).filter((one: AnyJson) => one.taskId === taskId);
  expect((await baton(['answer', asked.interactionId, '{"value":"x"}'])).code).toBe(0);
  expect(await baton(['retry', taskId])).toMatchObject({
    code: 1,
    complaints: expect.stringContaining(taskId),
  });
});

test('lists and bulk retries are of a principal and of an age', async () => {
  const other = await deployment.createKey({ scopes: ['mcp'], principal: 'another' });
  const client = await connectMcpClient(deployment.url(), other);
  const { taskId, interactionId } = await callTool(client, 'bench_echo', { text: 'theirs' });
  await client.close();
  const ids = async (...args: string[]) => (await baton([...args, '-q'])).said.split('\n').filter(Boolean);
  expect(await ids('tasks', '--principal', 'another')).toEqual([taskId]);
  expect(await ids('pending', '--principal', 'another')).toEqual([interactionId]);
  expect(await ids('pending', '--principal', 'nobody')).toEqual([]);
  for (const command of ['tasks', 'pending']) {
    const theirs = [command, '--principal', 'another'];
    expect(await ids(...theirs, '--newer-than', '1h')).toHaveLength(1);
    expect(await ids(...theirs, '--older-than', '1h')).toEqual([]);
    const bad = await baton([command, '--older-than', 'yesterday']);
    expect(bad).toMatchObject({ code: 64, said: '' });
    expect(bad.complaints).toContain('--older-than yesterday: must be a number with s, m, h or d');
  }
  await baton(['answer', interactionId, '--error', 'no credit']);
  const dry = ['retry', '--all', '--dry-run', '--principal', 'another'];
  expect((await json(...dry, '--older-than', '1h')).tasks).toEqual([]);
  expect((await json(...dry, '--newer-than', '1h')).tasks).toMatchObject([
    { taskId, result: 'would_be_retried' },
  ]);
});

test('tasks that failed go on in bulk by a filter, after a dry run that changes nothing', async () => {
  const failed: string[] = [];
  for (const text of ['one', 'two']) {
    const { taskId, interactionId } = await json('call', 'bench_echo', `text=${text}`);
    await baton(['answer', interactionId, '--error', 'no credit']);
    failed.push(taskId);
  }
  const all = ['retry', '--all', '--operation', 'bench_echo', '--error-code', 'agent_error'];
  const resultsOf = async (...more: string[]) => {
    const { tasks } = await json(...all, ...more);
    const ours = tasks.filter((one: AnyJson) => failed.includes(one.taskId));
    return ours.map(({ result }: AnyJson) => result);
  };
  expect(await resultsOf('--dry-run')).toEqual(['would_be_retried', 'would_be_retried']);
  expect(await resultsOf()).toEqual(['retried', 'retried']);
  expect(await resultsOf()).toEqual([]);
  expect((await baton(['retry'])).code).toBe(64);
});
