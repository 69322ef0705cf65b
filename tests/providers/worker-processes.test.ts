import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { SECRET } from '../harness/in-process-deployment.ts';
import { waitUntilOrThrow } from '../harness/poll.ts';
import { BatonProcess, WORKER_READY_LINE } from '../processes/baton-process.ts';
import { ProviderFixture } from './provider-fixture.ts';

/** Workers as real processes, one of which is killed or stopped in the middle of a call. */
let fixture: ProviderFixture;
const workers: BatonProcess[] = [];

beforeAll(async () => {
  fixture = await ProviderFixture.start({ workers: 0 });
  await fixture.putRole('main', { routes: [fixture.route()] });
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop('SIGKILL')));
});
afterAll(() => fixture?.stop());

async function startWorker(): Promise<BatonProcess> {
  const environment = {
    REDIS_URL: fixture.baton.redisUrl,
    BATON_SECRET: SECRET,
    BATON_TEST_OPERATIONS: 'true',
    BATON_EGRESS_ALLOW: '127.0.0.0/8',
  };
  const worker = await BatonProcess.start('worker', environment, WORKER_READY_LINE);
  workers.push(worker);
  return worker;
}

/** Starts a task whose first call hangs, and whose later ones are answered. */
async function openHangingCall(text: string): Promise<void> {
  fixture.llm.behaviour = ({ attempt }) => (attempt === 1 ? { do: 'hang' } : { do: 'say' });
  void fixture.call('bench_echo', { text }).catch(() => {});
  await fixture.llm.waitUntil(() => fixture.llm.countCalls(text) === 1);
}

const endOf = async (text: string) => {
  const { tasks } = (await fixture.rest('GET', '/tasks?status=completed')).body;
  const answers = fixture.llm.callsAbout(text);
  return { completed: tasks.length, keys: answers.map(({ headers }) => headers['idempotency-key']) };
};

test.each(['SIGKILL', 'SIGSTOP'] as const)(
  'the call of a worker that gets %s is made by another under the same idempotency key, and counts once',
  { timeout: 90_000 },
  async (signal) => {
    const text = `worker with ${signal}`;
    const first = await startWorker();
    await openHangingCall(text);
    const before = (await endOf(text)).completed;
    await startWorker();
    first.child.kill(signal);
    await waitUntilOrThrow('another worker makes the call', 40_000, async () =>
      Promise.resolve(fixture.llm.countCalls(text) === 2),
    );
    await waitUntilOrThrow('the task ends', 10_000, async () => (await endOf(text)).completed === before + 1);
    const { keys } = await endOf(text);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
    if (signal === 'SIGSTOP') {
      first.child.kill('SIGCONT');
      await waitUntilOrThrow('it learns that the call is another’s', 10_000, async () =>
        Promise.resolve(fixture.llm.openCalls === 0),
      );
    }
    expect(fixture.llm.countCalls(text), 'and is made no third time').toBe(2);
    expect((await endOf(text)).completed).toBe(before + 1);
  },
);

test('the words of a worker that is killed in the middle of a stream are in nothing that comes after it', async () => {
  const first = await startWorker();
  const texts = ['of the first worker '.repeat(6), 'of the second worker '.repeat(6)];
  let goOn = () => {};
  const never = new Promise<void>(() => {});
  const later = new Promise<void>((resolve) => (goOn = resolve));
  fixture.llm.behaviour = ({ attempt }) => ({
    do: 'say',
    text: texts[attempt - 1] ?? '',
    halfway: attempt === 1 ? never : later,
  });
  const messages = [{ role: 'user', content: 'killed in the middle' }];
  const delegatedCallDetails = {
    originalCommand: 'x',
    serviceType: 'streamText',
    requestParameters: { messages },
  };
  void fixture.call('agent_llm', { delegatedCallDetails }).catch(() => {});
  const taskId = await waitForWorkingTask();
  const words = async () => (await fixture.call('task_status', { taskId })).streaming?.[0]?.text ?? '';
  await waitUntilOrThrow('words of the first', 10_000, async () => (await words()) !== '');
  expect(texts[0]?.startsWith(await words())).toBe(true);
  await startWorker();
  first.child.kill('SIGKILL');
  const seen = new Set<string>();
  await waitUntilOrThrow('words of the second', 40_000, async () => {
    const text = await words();
    if (text !== '') seen.add(text);
    return texts[1]?.startsWith(text) === true && text.includes('second');
  });
  for (const text of seen) expect(texts.some((whole) => whole.startsWith(text))).toBe(true);
  goOn();
  await waitUntilOrThrow('the task ends', 10_000, async () => {
    const { status, result } = await fixture.call('task_status', { taskId });
    return status === 'completed' && result.response === texts[1];
  });
}, 90_000);

async function waitForWorkingTask(): Promise<string> {
  let taskId = '';
  await waitUntilOrThrow('the task is open', 10_000, async () => {
    taskId = (await fixture.rest('GET', '/tasks?status=working')).body.tasks[0]?.taskId ?? '';
    return taskId !== '';
  });
  return taskId;
}
