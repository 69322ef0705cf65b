import { formatInteractionId } from '@baton/protocol';
import fc from 'fast-check';
import type { Identity } from '../identity/identity.ts';
import { taskRef } from '../records/keys.ts';
import type { FencedSegment } from '../tasks/fenced-segment.ts';
import type { TaskBatch } from '../shard/worker-shard.ts';
import type { StoreFixture } from './store-fixture.ts';
import { llmWait, errorCode, type TestTenant, sleepWait } from './test-tenant.ts';
import { type ExpectedTask, ExpectedTasks } from './expected-tasks.ts';

/** One step of a random run. Numbers choose among what there is at that moment. */
export type TaskStep =
  | { readonly do: 'open'; readonly waits: number; readonly ready: boolean; readonly over: boolean }
  | { readonly do: 'accept'; readonly task: number; readonly number: number; readonly text: number }
  | StepOnTask<'cancel' | 'retry' | 'take' | 'takeHeld' | 'takeAndDie' | 'die' | 'again' | 'sweep'>
  | StepOnTask<'cancelInteraction' | 'lapse' | 'extend', { readonly number: number }>
  | LeaseStep;

/** Steps of someone who has loaded a task, and may have lost it. */
type LeaseStep =
  | StepOnTask<'settle' | 'reload' | 'release' | 'hold'>
  | StepOnTask<'park', { readonly waits: number; readonly sleep: number }>;

type StepOnTask<Name extends string, More = unknown> = Name extends string
  ? { readonly do: Name; readonly task: number } & More
  : never;

const any = fc.nat(11);
const few = fc.nat(4);

export const arbitraryStep: fc.Arbitrary<TaskStep> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('open'),
      waits: fc.integer({ min: 1, max: 3 }),
      ready: fc.boolean(),
      over: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    }),
  },
  { weight: 9, arbitrary: fc.record({ do: fc.constant('accept'), task: any, number: few, text: fc.nat(1) }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('take'), task: any }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('cancel', 'takeAndDie'), task: any }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('die', 'again', 'settle', 'reload'), task: any }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('sweep', 'retry'), task: any }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('cancelInteraction', 'lapse', 'extend'),
      task: any,
      number: few,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('park'), task: any, waits: fc.nat(2), sleep: fc.nat(5) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('release', 'hold'), task: any }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('takeHeld'), task: any }) },
) as fc.Arbitrary<TaskStep>;

const OPERATOR: Identity = { principal: 'operator', scopes: new Set(['agent', 'admin']) };

/** Plays operations on the store and on the model beside it; `hold` throws at the first difference. */
export class RandomTaskRun {
  readonly tasks: ExpectedTasks;
  private readonly fixture: StoreFixture;
  private readonly testTenant: TestTenant;
  /** Whoever has loaded a task, late ones and dead ones included: each may still write, or try to. */
  private readonly segments: FencedSegment[] = [];
  private paths = 0;
  private jobs = 1_000;

  constructor(fixture: StoreFixture, testTenant: TestTenant) {
    this.fixture = fixture;
    this.testTenant = testTenant;
    this.tasks = new ExpectedTasks(testTenant);
  }

  /** Plays one step; what the store answered and what the model expects, which must be the same. */
  async play(step: TaskStep): Promise<{ answered: unknown; expected: unknown }> {
    if (step.do === 'open') return this.open(step);
    if (step.do === 'take') return this.take();
    if (step.do === 'takeHeld') return this.take('held');
    if (step.do === 'takeAndDie') return this.takeAndDie();
    if (step.do === 'again') return this.again();
    if (step.do === 'die') return same(await this.fixture.loseJobs(this.testTenant));
    if (step.do === 'sweep') return this.sweep();
    const task = this.tasks.pick(step.task);
    if (task === undefined) return same(undefined);
    switch (step.do) {
      case 'accept':
        return this.accept(task, 1 + (step.number % (task.opened + 1)), step.text);
      case 'cancel':
        return {
          answered: await errorCode(this.testTenant.tasks.cancel(OPERATOR, task.id)),
          expected: task.cancel(),
        };
      case 'retry': {
        const call = this.testTenant.store.taskRetries
          .retry(OPERATOR, task.id)
          .then(({ replayed }) => (replayed ? 'replayed' : 'retried'));
        const answered = await call.catch((error: { code?: string }) => error.code);
        return { answered, expected: task.retry() };
      }
      case 'cancelInteraction': {
        const number = 1 + (step.number % (task.opened + 1));
        const call = this.testTenant.interactions.cancel(OPERATOR, formatInteractionId(task.id, number));
        return { answered: await errorCode(call), expected: task.cancelInteraction(number) };
      }
      case 'lapse':
      case 'extend': {
        const number = 1 + (step.number % (task.opened + 1));
        const call = this.testTenant.interactions.extend(
          OPERATOR,
          formatInteractionId(task.id, number),
          step.do === 'lapse' ? 0 : 3_000_000,
        );
        return { answered: await errorCode(call), expected: task.extend(number, step.do === 'lapse') };
      }
      default:
        return this.holder(step);
    }
  }

  private async open(step: Extract<TaskStep, { do: 'open' }>) {
    if (this.tasks.all.length === 5) return same(undefined);
    const waits = Array.from({ length: step.waits }, () => llmWait(`${this.paths++}`));
    const testTenant = step.over ? this.testTenant.withLifetimes({ task: 0 }) : this.testTenant;
    const taskId = await testTenant.openTask({ waits, ready: step.ready }, testTenant.store.operatorCaller());
    this.tasks.opened(
      taskId,
      waits.map((wait) => wait.path),
      step.ready,
      step.over,
    );
    return same(taskId);
  }

  private async accept(task: ExpectedTask, number: number, choice: number) {
    const text = `"answer ${choice}"`;
    const as = this.testTenant.store.operatorCaller();
    const call = this.testTenant
      .answer(task.id, number, { text, as })
      .then((reply) => (reply.replayed ? 'replayed' : 'accepted'));
    const answered = await call.catch((error: { code?: string }) => error.code);
    return { answered, expected: task.accept(number, text) };
  }

  /** What a new job gets of a list, loaded or not. */
  private dequeue(list: 'ready' | 'held', number = this.jobs++): Promise<TaskBatch> {
    const job = { tenant: this.testTenant.store.id, list, number, tasks: this.tasks.all.map(({ id }) => id) };
    return this.fixture.shard.dequeue(job, ['echo 1'], { limit: 1 });
  }

  /** A job that took something and never said what became of it is run again. */
  private async again() {
    const { redis } = this.fixture;
    const { ready: _, held: _also, next: _last, ...batches } = await redis.hgetall(this.testTenant.keys.jobs);
    const [number] = Object.keys(batches);
    if (number === undefined) return same(undefined);
    const batch = await this.dequeue('ready', Number(number));
    if (batch.kind !== 'retried') return { answered: batch.kind, expected: 'retried' };
    const { segments } = await this.fixture.shard.load(
      this.testTenant.store.id,
      Number(number),
      batch.notLoaded,
    );
    for (const segment of segments) this.recordSegment(segment);
    return same(undefined);
  }

  /** What the dead worker had loaded is behind a new fence: an earlier segment is stale. */
  private async takeAndDie() {
    const batch = await this.dequeue('ready');
    const segments = batch.kind === 'taken' ? batch.segments : [];
    for (const segment of segments) this.tasks.find(segment.taskId).holder = segment;
    return same(undefined);
  }

  private async take(list: 'ready' | 'held' = 'ready') {
    const batch = await this.dequeue(list);
    const segments = batch.kind === 'taken' ? batch.segments : [];
    for (const segment of segments) this.recordSegment(segment);
    const ended = segments.filter(({ taskId }) => this.tasks.find(taskId).ended);
    return { answered: ended.length, expected: 0 };
  }

  private recordSegment(segment: FencedSegment): void {
    this.segments.push(segment);
    const task = this.tasks.find(segment.taskId);
    task.holder = segment;
    task.checkJournal(segment.task.journal);
  }

  private async sweep() {
    // A dead holder's segment is a task's place until it is given back, whoever notices first.
    await this.fixture.sweep();
    this.tasks.swept();
    return same(undefined);
  }

  private async holder(step: LeaseStep) {
    // Mostly those who came last: the others are late already.
    const segment = this.segments.at(-1 - Math.max(0, step.task - 8));
    if (segment === undefined) return same(undefined);
    const task = this.tasks.find(segment.taskId);
    switch (step.do) {
      case 'park': {
        const waits = Array.from({ length: step.waits }, () => llmWait(`${this.paths++}`));
        const sleep = step.sleep < 2 ? [sleepWait(`${this.paths++}`, step.sleep === 0 ? 0 : 600_000)] : [];
        const answered = await segment.park({ journal: [], drops: [], waits: [...waits, ...sleep] });
        return {
          answered,
          expected: task.park(
            segment,
            waits.map((wait) => wait.path),
            sleep[0],
          ),
        };
      }
      case 'settle':
        return {
          answered: await segment.settle({ status: 'completed', result: {} }),
          expected: task.settle(segment),
        };
      case 'release':
        return { answered: await segment.release(), expected: task.lose(segment, 'released') };
      case 'hold':
        return { answered: await segment.holdForProgram(), expected: task.lose(segment, 'held') };
      case 'reload': {
        // Only a holder that received "again" loads anew, and only what is still in its job's batch: what was given back
        // stands ready for whoever takes it next.
        const received = task.again === segment;
        const own = await this.fixture.redis.hget(this.testTenant.keys.jobs, String(segment.job));
        const leased = received && ` ${own} `.includes(` ${taskRef(task.id)} `);
        const again = received ? await this.fixture.shard.reload(segment) : undefined;
        if (again !== undefined) this.recordSegment(again);
        return { answered: again !== undefined, expected: leased && !task.ended };
      }
    }
  }
}

function same(value: unknown): { answered: unknown; expected: unknown } {
  return { answered: value, expected: value };
}
