import { formatInteractionId } from '@baton/protocol';
import { randomSeed } from '@baton/protocol/testing/random-seed';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { taskRef } from '../records/keys.ts';
import { STORED_WEIGHTS } from '../records/stored-weights.ts';
import { FORGET_TASKS, PARK, STRIP_TASKS } from '../scripts/registry.ts';
import type { AnyScript } from '../testing/all-scripts.ts';
import { countedStorage, measureStorage } from '../testing/measured-storage.ts';
import type { Mutation } from '../testing/script-mutation.ts';
import { endedTurn, openTurn, QUESTION } from '../testing/conversation-steps.ts';
import { openFixture } from '../testing/store-fixture.ts';
import { ADMIN, AGENT, ANN, llmWait, sleepWait, type TestTenant } from '../testing/test-tenant.ts';

/** What a tenant stores is counted by the scripts that write, and never drifts from what there is. */
const fixture = await openFixture();
const { recorder, redis } = fixture;

const OPERATIONS = [
  ...(['open', 'openReady', 'answer', 'answer', 'chunk', 'park', 'park', 'settle', 'cancelTask'] as const),
  ...([
    'cancelInteraction',
    'expire',
    'commit',
    'commitLarge',
    'commitInTask',
    'deleteProject',
    'forget',
    'strip',
  ] as const),
  ...(['putDefinition', 'putDefinition', 'deleteDefinition', 'changeAgent'] as const),
  ...(['turn', 'turn', 'deleteConversation'] as const),
] as const;

const arbitraryStep = fc.record({
  operation: fc.constantFrom(...OPERATIONS),
  choice: fc.nat({ max: 7 }),
  size: fc.nat({ max: 3_000 }),
});
type Step = typeof arbitraryStep extends fc.Arbitrary<infer T> ? T : never;

class Run {
  readonly tenant: TestTenant;
  private readonly tasks: string[] = [];
  private readonly conversations: (string | undefined)[] = [];
  private paths = 0;

  constructor(tenant: TestTenant) {
    this.tenant = tenant;
  }

  /** Most steps meet a task that has ended or waits for something else: they are refused, and must count nothing. */
  async play({ operation, choice, size }: Step): Promise<void> {
    const { tenant } = this;
    const { store } = tenant;
    const caller = store.operatorCaller();
    const taskId = this.tasks.at(-1 - (choice % 4)) ?? '';
    const text = 'ä'.repeat(size / 2);
    const wait = () => llmWait(`${this.paths++}`, text);
    const project = `project ${choice % 3}`;
    const change = {
      set: [
        [`t:${choice}`, JSON.stringify(text)],
        ['meta', '{}'],
      ] as const,
      delete: [`t:${(choice + 1) % 8}`],
    };
    switch (operation) {
      case 'open':
      case 'openReady': {
        const idempotency = choice === 0 ? { key: `k${this.paths}`, arguments: 'a' } : undefined;
        const input = { text };
        const waits = operation === 'open' ? [wait(), wait(), sleepWait(`${this.paths++}`, 60_000)] : [];
        const ready = operation === 'openReady';
        const task = { waits, ready, idempotency, input, journal: [['900', `read+${text}`]] as const };
        this.tasks.push(await tenant.openTask(task, caller));
        return;
      }
      case 'answer':
        return void (await tenant.answer(taskId, 1 + (choice % 2), { text, as: caller }));
      case 'chunk': {
        const interactionId = formatInteractionId(taskId, 1 + (choice % 2));
        const sequence = choice % 3;
        return void (await store.interactions.appendChunk(caller, { interactionId, sequence, delta: text }));
      }
      case 'park': {
        const segment = await fixture.loadSegment();
        const journal = [[`91${choice}`, `check+${text}`]] as const;
        return void (await segment.park({ journal, drops: ['900', `91${choice + 1}`], waits: [wait()] }));
      }
      case 'settle':
        await (await fixture.loadSegment()).settle({ status: 'completed', result: { text } });
        return;
      case 'cancelTask':
        return store.tasks.cancel(ADMIN, taskId);
      case 'cancelInteraction':
        return store.interactions.cancel(ADMIN, formatInteractionId(taskId, 1 + (choice % 2)));
      case 'expire':
        this.tasks.push(
          await tenant.withLifetimes({ interaction: 0 }).openTask({ waits: [wait()] }, caller),
          await tenant.withLifetimes({ task: 0 }).openTask({ waits: [wait()] }, caller),
        );
        return fixture.sweep();
      case 'commit':
        return void (await store.projects.commit(project, await store.projects.open(project), change));
      case 'commitLarge': {
        const set = Array.from(
          { length: 201 },
          (_, n) => [`l:${n}`, JSON.stringify(`${text}`.slice(0, n))] as const,
        );
        const copy = [[`t:${choice}`, `l:${choice}`]] as const;
        const large = { set, copy, delete: [`l:${choice + 9}`, `t:${choice}`] };
        return void (await store.projects.commit(project, await store.projects.open(project), large));
      }
      case 'commitInTask': {
        const segment = await fixture.loadSegment();
        const before = await store.projects.open(project);
        const journal = [['800', `read+${text}`]] as const;
        await segment.commit(project, before, change, { path: '801', entry: 'commit+1', journal });
        return void (await segment.park({ journal: [], drops: [], waits: [wait()] }));
      }
      case 'deleteProject':
        return void (await store.projects.delete(project));
      case 'forget':
        await redis.zadd(
          tenant.keys.retained,
          'XX',
          1,
          taskRef(taskId || '00000000-0000-8000-8000-000000000000'),
        );
        return this.sweepEnded();
      case 'strip': {
        // A quarter of it is what ended tasks may take.
        const { storedEnded } = await countedStorage(redis, tenant.keys);
        await fixture.operators.update(store.id, { limits: { storedBytes: 1 + storedEnded * 2 } });
        await this.sweepEnded();
        return void (await fixture.operators.update(store.id, { limits: { storedBytes: 100_000_000 } }));
      }
      case 'putDefinition': {
        const of = choice % 3 === 0 ? store.workflows : choice % 3 === 1 ? store.agents : store.prompts;
        const summary = of === store.workflows ? {} : { summary: { text: text.slice(0, choice * 20) } };
        return void (await of.put(AGENT, `w${choice % 2}`, { definition: { text }, ...summary }));
      }
      case 'deleteDefinition': {
        const of = choice % 3 === 0 ? store.workflows : choice % 3 === 1 ? store.agents : store.prompts;
        return of.delete(AGENT, `w${choice % 2}`);
      }
      case 'changeAgent': {
        const change = choice < 4 ? ({ primary: true } as const) : { enabled: choice % 2 === 0 };
        return void (await store.agents.changeAgent(AGENT, `w${choice % 2}`, change));
      }
      case 'turn': {
        await openTurn(tenant);
        const segment = await fixture.loadSegment();
        const id = this.conversations[choice % 2] ?? segment.taskId;
        if (id === segment.taskId) this.conversations[choice % 2] = id;
        const reply = { role: 'assistant' as const, content: text };
        await segment.turn.end(id, endedTurn([QUESTION, reply])).catch((error: Error) => {
          this.conversations[choice % 2] = undefined;
          throw error;
        });
        return;
      }
      case 'deleteConversation':
        return store.conversations.delete(AGENT, this.conversations[choice % 2] ?? '');
    }
  }

  private async sweepEnded(): Promise<void> {
    await redis.zadd(fixture.shardKeys.due, 1, this.tenant.store.id);
    await fixture.sweep();
  }
}

const claim = fc.asyncProperty(
  fc.array(arbitraryStep, { minLength: 20, maxLength: 60, size: 'max' }),
  async (steps) => {
    await redis.flushall();
    const run = new Run(await fixture.createTenant({ openTasks: 1_000, conversationBytes: 5_000 }));
    for (const [at, step] of steps.entries()) {
      await run.play(step).catch((error: Error) => {
        // A refusal, or nothing was ready.
        if (!('code' in error) && error.message !== 'nothing is ready') throw error;
      });
      const counted = await countedStorage(redis, run.tenant.keys);
      const measured = await measureStorage(redis, run.tenant.keys);
      if (JSON.stringify(counted) === JSON.stringify(measured)) continue;
      const what = `${JSON.stringify(counted)} is counted of ${JSON.stringify(measured)}`;
      throw new Error(`after step ${at}, ${JSON.stringify(step)}: ${what}`);
    }
  },
);

test(`whatever a tenant does in whatever order, its counts are what there is (seed ${randomSeed})`, {
  timeout: 120_000,
}, async () => {
  await fc.assert(claim, {
    seed: randomSeed,
    numRuns: 60,
    interruptAfterTimeLimit: 60_000,
    markInterruptAsFailure: false,
  });
  const times = (script: AnyScript, ...codes: unknown[]) =>
    recorder.replies(script).filter((reply) => codes.includes(reply[0])).length;
  expect(times(PARK, 'parked')).toBeGreaterThan(20);
  expect(times(FORGET_TASKS, 1)).toBeGreaterThan(5);
  expect(times(STRIP_TASKS, 1, 2, 3)).toBeGreaterThan(5);
});

test.each<[string, AnyScript, Mutation[]]>([
  [
    'what is dropped of a journal is given back',
    PARK,
    [[`grown = grown - bytes_of_field(F_journal .. ARGV[at], ${STORED_WEIGHTS.journal})`, '']],
  ],
  ['what is forgotten is given back', FORGET_TASKS, [['add_bytes(own, -own, -own)', '']]],
])('the random run notices when this is not so: %s', { timeout: 60_000 }, async (_rule, script, cuts) => {
  const broken = await recorder.withMutant(script, cuts, () =>
    fc.check(claim, { seed: randomSeed, numRuns: 300, endOnFailure: true }),
  );
  expect(broken.failed).toBe(true);
});

test('more ended tasks than the limit leave, the oldest first, each with its idempotency key', async () => {
  const tenant = await fixture.createTenant({ retainedTasks: 3 });
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) {
    const id = await tenant.openTask({ idempotency: { key: `k${n}`, arguments: 'a' } });
    await tenant.tasks.cancel(ANN, id);
    await redis.zincrby(tenant.keys.retained, 10 * n, taskRef(id));
    ids.push(id);
  }
  await fixture.sweep();
  const left = await Promise.all(ids.map((id) => redis.exists(tenant.keys.task(id))));
  expect(left).toEqual([0, 0, 1, 1, 1]);
  const keys = await Promise.all(ids.map((_, n) => redis.exists(tenant.keys.idempotency(`k${n}`))));
  expect(keys).toEqual(left);
  expect(await redis.zcard(tenant.keys.tasks)).toBe(3);
});

test('more ended tasks than a limit that was lowered leave with the next sweep, whether or not another task ends', async () => {
  const tenant = await fixture.createTenant({ retainedTasks: 100 });
  const ids: string[] = [];
  for (let n = 0; n < 40; n++) {
    const id = await tenant.openTask({});
    await tenant.tasks.cancel(ANN, id);
    await redis.zincrby(tenant.keys.retained, 10 * n, taskRef(id));
    ids.push(id);
  }
  await fixture.sweep();
  expect(await redis.zcard(tenant.keys.retained)).toBe(40);
  await fixture.operators.update(tenant.store.id, { limits: { retainedTasks: 3 } });
  await fixture.sweep();
  const left = await redis.zrange(tenant.keys.retained, '0', '-1');
  expect(left).toEqual(ids.slice(-3).map(taskRef));
  expect(await countedStorage(redis, tenant.keys)).toEqual(await measureStorage(redis, tenant.keys));
  const most = Math.max(...recorder.replies(FORGET_TASKS).map(([count]) => Number(count)));
  expect(most, 'of one command').toBeLessThanOrEqual(16);
});

test('ended tasks lose requests and answers when they take too much, and keep how they ended', async () => {
  const tenant = await fixture.createTenant({ storedBytes: 100_000 });
  const ids: string[] = [];
  for (let n = 0; n < 4; n++) {
    const id = await tenant.openTask({ waits: [llmWait('0', 'x'.repeat(9_000))] });
    await tenant.tasks.cancel(ANN, id);
    // Those that end in one millisecond have no order.
    await redis.zincrby(tenant.keys.retained, 10 * n, taskRef(id));
    ids.push(id);
  }
  await fixture.sweep();
  const records = await Promise.all(ids.map((id) => tenant.readRecord(id)));
  expect(records.map((record) => [record['st'], 'i1' in record, 's1' in record])).toEqual([
    ['cancelled', false, true],
    ['cancelled', false, true],
    ['cancelled', true, true],
    ['cancelled', true, true],
  ]);
  const { items } = await tenant.store.queries.history.summaries(ANN);
  expect(items).toHaveLength(4);
  expect((await tenant.store.queries.inspect(ANN, ids[0] ?? '')).status).toBe('cancelled');
  expect((await countedStorage(redis, tenant.keys)).storedEnded).toBeLessThanOrEqual(25_000);
});
