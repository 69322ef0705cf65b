import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { AgentProcess } from './agent-process.ts';
import { type FakeLlmServer, VALID_ANSWER } from '../fake-llm/llm-server.ts';
import { AgentFixture } from './agent-fixture.ts';

/** `baton agent` as real processes, some of which are killed. */
let fixture: AgentFixture;
const started: AgentProcess[] = [];
const folder = mkdtempSync(join(tmpdir(), 'baton-agent-'));
beforeAll(async () => {
  fixture = await AgentFixture.start();
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((agent) => agent.waitForExit('SIGKILL')));
  fixture.llm.behaviour = () => VALID_ANSWER;
});
afterAll(async () => {
  await fixture.stop();
  rmSync(folder, { recursive: true });
});

/** An agent at the tests' endpoint; `gateway` is the replica that it talks to. */
function start(
  flags: readonly string[] = [],
  { gateway = 0, ...environment }: Environment = {},
): AgentProcess {
  const agent = AgentProcess.startBatonAgent(
    ['--url', fixture.mcpUrl(gateway), '--endpoint', fixture.llm.url, '--model', 'test-model', ...flags],
    { BATON_API_KEY: fixture.key, BATON_LLM_API_KEY: 'key-of-the-llm', ...environment },
  );
  started.push(agent);
  return agent;
}
type Environment = (Record<string, string> & { gateway?: never }) | { gateway: number };

const topics = (name: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${name} ${String(n).padStart(2, '0')}`);
const park = async (names: readonly string[]): Promise<string[]> => {
  const tasks: string[] = [];
  for (const name of names) tasks.push((await fixture.parkEcho(name)).taskId);
  return tasks;
};
const allCompleted = async (tasks: readonly string[]) => {
  for (const task of tasks) expect(await fixture.waitForOutcome(task)).toMatchObject({ status: 'completed' });
};
const timesOf = (names: readonly string[], llm: FakeLlmServer = fixture.llm) =>
  names.map((name) => llm.countCalls(name));

describe('two agents', { timeout: 90_000 }, () => {
  test('share a backlog of 60 over two replicas, and no LLM call is made twice', async () => {
    const names = topics('shared', 60);
    const tasks = (await Promise.all(names.map((name) => fixture.parkEcho(name)))).map(
      ({ taskId }) => taskId,
    );
    fixture.llm.behaviour = ({ topic }) => ({ do: 'say', afterMs: 20 + (Number(topic.slice(-2)) % 7) * 20 });
    const agents = [start(), start([], { gateway: 1 })];
    const answered = () => agents.reduce((sum, agent) => sum + agent.countEvents('answered'), 0);
    await Promise.all(agents.map((agent) => agent.waitUntil(() => agent.countEvents('answered') >= 15)));
    await Promise.all(tasks.map((task) => fixture.waitForEnd(task)));
    expect(await Promise.all(agents.map((agent) => agent.waitForExit('SIGTERM')))).toEqual([0, 0]);
    expect(answered()).toBe(60);
    expect(timesOf(names)).toEqual(names.map(() => 1));
    for (const agent of agents)
      for (const kind of ['superseded', 'failed', 'abandoned', 'retrying'])
        expect(agent.countEvents(kind)).toBe(0);
    await allCompleted(tasks);
    for (const task of tasks) expect(await fixture.listInteractions(task)).toHaveLength(1);
  });

  test('of which one is killed: the other takes over its requests when the leases expire, never before', async () => {
    const names = topics('orphaned', 4);
    const tasks = await park(names);
    fixture.llm.behaviour = () => ({ do: 'hang' });
    const doomed = start(['--lease-ms', '2000', '--timeout-ms', '1900']);
    await fixture.llm.waitUntil(() => timesOf(names).every((times) => times === 1));
    await doomed.waitForExit('SIGKILL');
    const leaseEnds = await fixture.leaseEnds();
    expect(leaseEnds).toHaveLength(4);
    fixture.llm.behaviour = () => VALID_ANSWER;
    const other = start([], { gateway: 1 });
    await Promise.all(tasks.map((task) => fixture.waitForEnd(task)));
    await allCompleted(tasks);
    expect(await other.waitForExit('SIGTERM')).toBe(0);
    for (const name of names) {
      const [, second, ...more] = fixture.llm.callsAbout(name);
      expect(more).toEqual([]);
      expect(second?.at).toBeGreaterThanOrEqual(Math.min(...leaseEnds));
    }
  });

  test("of which one is stopped beyond its lease: it abandons its requests and never disturbs the other's answers", async () => {
    const [name] = topics('asleep', 1) as [string];
    const [task] = (await park([name])) as [string];
    fixture.llm.behaviour = () => ({ do: 'hang' });
    const sleeper = start(['--lease-ms', '2000', '--timeout-ms', '1500']);
    await fixture.llm.waitUntil(() => fixture.llm.countCalls(name) === 1);
    sleeper.child.kill('SIGSTOP');
    const other = start();
    await fixture.llm.waitUntil(() => fixture.llm.countCalls(name) === 2);
    // The other is at it, and has not answered yet.
    sleeper.child.kill('SIGCONT');
    await sleeper.waitUntil(() => sleeper.countEvents('abandoned') === 1);
    expect(await sleeper.waitForExit('SIGTERM')).toBe(0);
    expect(await fixture.waitForOutcome(task)).toMatchObject({ status: 'input_required' });
    expect(fixture.llm.countCalls(name)).toBe(2);
    fixture.llm.behaviour = () => VALID_ANSWER;
    expect(await other.waitForExit('SIGKILL')).toBe('SIGKILL');
    await fixture.cancelTask(task);
  });
});

describe('SIGTERM', () => {
  test('finishes and posts what is in flight, and leaves the rest unclaimed', async () => {
    const names = topics('draining', 6);
    const tasks = await park(names);
    fixture.llm.behaviour = () => ({ do: 'say', afterMs: 800 });
    const agent = start(['--concurrency', '2']);
    await fixture.llm.waitUntil(() => timesOf(names).filter((times) => times === 1).length === 2);
    expect(await agent.waitForExit('SIGTERM')).toBe(0);
    expect(agent.countEvents('answered')).toBe(2);
    expect(timesOf(names)).toEqual([1, 1, 0, 0, 0, 0]);
    expect(agent.events.at(-1)).toMatchObject({ event: 'ended', answered: 2, failed: 0, abandoned: 0 });
    fixture.llm.behaviour = () => VALID_ANSWER;
    // It finds what it can claim at once, and waits for no lease.
    expect(await start(['--once']).waitForExit()).toBe(0);
    await allCompleted(tasks);
    expect(timesOf(names)).toEqual([1, 1, 1, 1, 1, 1]);
  });

  test('exits within its limit while the LLM does not answer, and never fails a task for it', async () => {
    const [name] = topics('cut off', 1) as [string];
    const [task] = (await park([name])) as [string];
    fixture.llm.behaviour = () => ({ do: 'hang' });
    const agent = start(['--drain-ms', '300', '--lease-ms', '2000', '--timeout-ms', '1900']);
    await fixture.llm.waitUntil(() => fixture.llm.countCalls(name) === 1);
    expect(await agent.waitForExit('SIGTERM')).toBe(0);
    expect(agent.countEvents('abandoned')).toBe(1);
    expect(agent.countEvents('failed')).toBe(0);
    expect(await fixture.waitForOutcome(task)).toMatchObject({ status: 'input_required' });
    fixture.llm.behaviour = () => VALID_ANSWER;
    const other = start();
    await fixture.waitForEnd(task);
    expect(await other.waitForExit('SIGTERM')).toBe(0);
  });

  test('sent twice exits at once', async () => {
    const [name] = topics('impatient', 1) as [string];
    const [task] = (await park([name])) as [string];
    fixture.llm.behaviour = () => ({ do: 'hang' });
    const agent = start();
    await fixture.llm.waitUntil(() => fixture.llm.countCalls(name) === 1);
    agent.child.kill('SIGTERM');
    await agent.waitUntil(() => agent.countEvents('stopping') === 1);
    expect(await agent.waitForExit('SIGTERM')).toBe(143);
    await fixture.cancelTask(task);
  });
});

describe('standard output in a pipe', () => {
  test('is JSON lines with time and event, which never contain a prompt, an answer or a key', async () => {
    const [name] = topics('secret words', 1) as [string];
    await park([name]);
    fixture.llm.behaviour = ({ attempt }) =>
      attempt === 1 ? { do: 'refuse', status: 500, message: 'try later' } : VALID_ANSWER;
    const agent = start(['--once']);
    expect(await agent.waitForExit()).toBe(0);
    expect(agent.events.map(({ event }) => event)).toEqual([
      'started',
      'claimed',
      'retrying',
      'answered',
      'ended',
    ]);
    for (const { time } of agent.events) expect(new Date(time).toISOString()).toBe(time);
    expect(agent.events[3]).toMatchObject({
      operation: 'bench_echo',
      role: 'main',
      serviceType: 'generateObject',
      attempt: 1,
      model: 'test-model',
      usage: { inputTokens: 21, outputTokens: 13 },
      tookMs: expect.any(Number),
    });
    const said = [...agent.lines, ...agent.errors].join('\n');
    for (const secret of [name, `answer to ${name}`, fixture.key, 'key-of-the-llm'])
      expect(said).not.toContain(secret);
  });
});

describe('settings', () => {
  test.each<[string, string[], Record<string, string>]>([
    ['BATON_URL is not set', [], {}],
    ['BATON_API_KEY is not set', ['--url', 'http://127.0.0.1:1/mcp'], {}],
    ['--url=here: must be an address', ['--url', 'here'], {}],
    ['--url=(hidden): must be an address', ['--url', 'ann:hush@here'], {}],
    ['--url=(hidden): must hold no user and no password', ['--url', 'http://ann:hush@127.0.0.1:1'], {}],
    ['BATON_URL=(hidden): must hold no user', [], { BATON_URL: 'https://hush@127.0.0.1:1/mcp' }],
    ['--endpoint=(hidden): must hold no user', ['--endpoint', 'http://:hush@127.0.0.1:1/v1'], {}],
    ['an LLM endpoint from BATON_LLM_API_KEY', [], { BATON_LLM_ENDPOINT: 'http://hush:hush@127.0.0.1:1/v1' }],
    ['No LLM is named', ['--url', 'http://127.0.0.1:1/mcp', '--key', 'k'], {}],
    [
      'ANTHROPIC_API_KEY is not set',
      ['--provider', 'anthropic', '--model', 'm', '--url', 'http://127.0.0.1:1', '--key', 'k'],
      {},
    ],
    ['--provider=acme', ['--provider', 'acme'], {}],
    ['--concurrency=0', ['--concurrency', '0'], {}],
    ['BATON_AGENT_CONCURRENCY=many', [], { BATON_AGENT_CONCURRENCY: 'many' }],
    ["'cook' is no role; roles are main, research, fallback", ['--model', 'cook=gpt'], {}],
    ['--role=cook: must be one of main, research, fallback', ['--role', 'cook'], {}],
    ['BATON_AGENT_LEASE_MS=10', [], { BATON_AGENT_LEASE_MS: '10' }],
    ['BATON_API_KEY_FILE=/nowhere', [], { BATON_API_KEY_FILE: '/nowhere' }],
  ])(
    'that are invalid are named with a remedy, and the exit code is 78: %s',
    async (message, flags, environment) => {
      const agent = AgentProcess.startBatonAgent(flags, environment);
      expect(await agent.waitForExit()).toBe(78);
      expect(agent.errors.join('\n')).toContain(message);
      expect(agent.errors.join('\n')).not.toContain('hush');
    },
  );

  test('with a refused key exit with 78 too, and the key is never printed', async () => {
    const refused = start([], { BATON_API_KEY: 'bt_acme_wrong_key' });
    expect(await refused.waitForExit()).toBe(78);
    expect(refused.errors.join('\n')).toContain('BATON_API_KEY=(hidden)');
    const [task] = (await park(['refused by the endpoint'])) as [string];
    fixture.llm.probeBehaviour = () => ({ do: 'refuse', status: 401, message: 'Incorrect API key provided' });
    const unpaid = start(['--lease-ms', '1000', '--timeout-ms', '900']);
    expect(await unpaid.waitForExit()).toBe(78);
    fixture.llm.probeBehaviour = () => VALID_ANSWER;
    expect(unpaid.errors.join('\n')).toContain('BATON_LLM_API_KEY');
    expect(unpaid.errors.join('\n')).toContain('Incorrect API key provided');
    expect(unpaid.errors.join('\n')).not.toContain('key-of-the-llm');
    await fixture.cancelTask(task);
  });

  test('are read from files and from the folder of baton dev, with models by role', async () => {
    const dev = { url: fixture.baton.url(), mcpUrl: fixture.mcpUrl(), tenant: 'acme', apiKey: fixture.key };
    const rest = { operatorToken: '', redisUrl: '', secret: '' };
    writeFileSync(join(folder, 'dev.json'), JSON.stringify({ ...dev, ...rest }), { mode: 0o600 });
    writeFileSync(join(folder, 'llm-key'), 'key-from-a-file\n');
    await park(['by role main']);
    await fixture.delegate('generateText', { messages: [{ role: 'user', content: 'by role research' }] });
    const agent = AgentProcess.startBatonAgent(['--once', '--model', 'big,research=searching'], {
      BATON_DATA_DIR: folder,
      BATON_LLM_ENDPOINT: fixture.llm.url,
      BATON_LLM_API_KEY_FILE: join(folder, 'llm-key'),
    });
    expect(await agent.waitForExit()).toBe(0);
    const [main] = fixture.llm.callsAbout('by role main');
    const [research] = fixture.llm.callsAbout('by role research');
    expect([main?.model, research?.model]).toEqual(['big', 'searching']);
    expect(main?.headers.authorization).toBe('Bearer key-from-a-file');
  });

  test('--once says by its exit code that something failed', async () => {
    await park(['fails once and for all']);
    fixture.llm.behaviour = () => ({ do: 'refuse', status: 400 });
    expect(await start(['--once']).waitForExit()).toBe(1);
  });
});

test('a ten-line user program answers, and drains on SIGTERM', async () => {
  const [task] = (await park(['by a program'])) as [string];
  const program = AgentProcess.startProgram('tests/agent/example-agent.ts', {
    BATON_URL: fixture.mcpUrl(),
    BATON_API_KEY: fixture.key,
    LLM_URL: fixture.llm.url,
    LLM_KEY: 'key-of-the-llm',
  });
  started.push(program);
  await program.waitUntil(({ lines }) => lines.includes('answered Echo'));
  expect(await program.waitForExit('SIGTERM')).toBe(0);
  expect(program.lines.join('\n')).toContain('answered: 1');
  expect(await fixture.waitForOutcome(task)).toMatchObject({ status: 'completed' });
  expect(fixture.llm.callsAbout('by a program')[0]?.model).toBe('gpt-4.1-mini');
});
