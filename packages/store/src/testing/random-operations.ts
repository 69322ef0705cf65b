import { interactionId } from '@baton/protocol';
import fc from 'fast-check';
import type { Identity } from '../caller.ts';
import { run } from '../script.ts';
import { RELEASE, TAKE } from '../scripts.ts';
import type { Segment } from '../segment.ts';
import type { Fixture } from './fixture.ts';
import { asks, codeOf, type Guest, sleeps } from './guest.ts';
import { type ModelTask, TaskModel } from './task-model.ts';

/** One step of a random run. Numbers choose among what there is at that moment. */
export type Operation =
  | { readonly do: 'open'; readonly waits: number; readonly ready: boolean; readonly over: boolean }
  | { readonly do: 'accept'; readonly task: number; readonly number: number; readonly text: number }
  | Of<'cancel' | 'take' | 'takeAndDie' | 'die' | 'sweep'>
  | Of<'cancelInteraction' | 'lapse' | 'extend', { readonly number: number }>
  | OfAHolder;

/** Steps of someone who has loaded a task, and may have lost it. */
type OfAHolder =
  | Of<'settle' | 'reload'>
  | Of<'park', { readonly waits: number; readonly sleep: number }>
  | Of<'release', { readonly pause: number }>;

type Of<Name extends string, More = unknown> = Name extends string
  ? { readonly do: Name; readonly task: number } & More
  : never;

const any = fc.nat(11);
const few = fc.nat(4);

export const operation: fc.Arbitrary<Operation> = fc.oneof(
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
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('die', 'settle', 'reload'), task: any }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('sweep'), task: any }) },
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
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('release'), task: any, pause: fc.constantFrom(0, 60_000) }),
  },
) as fc.Arbitrary<Operation>;

const OPERATOR: Identity = { principal: 'operator', scopes: new Set(['agent']) };

/** Plays operations on the store and on the model beside it; `hold` throws at the first difference. */
export class RandomRun {
  readonly tasks: TaskModel;
  private readonly fixture: Fixture;
  private readonly guest: Guest;
  /** Whoever has loaded a task, late ones and dead ones included: each may still write, or try to. */
  private readonly holders: Segment[] = [];
  private paths = 0;

  constructor(fixture: Fixture, guest: Guest) {
    this.fixture = fixture;
    this.guest = guest;
    this.tasks = new TaskModel(guest);
  }

  /** Plays one step; what the store answered and what the model expects, which must be the same. */
  async play(step: Operation): Promise<{ answered: unknown; expected: unknown }> {
    if (step.do === 'open') return this.open(step);
    if (step.do === 'take') return this.take();
    if (step.do === 'takeAndDie')
      return same(await run(this.fixture.connection, TAKE, this.fixture.places, { most: 1, lease: 60_000 }));
    if (step.do === 'sweep') return this.sweep();
    const task = this.tasks.pick(step.task);
    if (task === undefined) return same(undefined);
    switch (step.do) {
      case 'accept':
        return this.accept(task, 1 + (step.number % (task.opened + 1)), step.text);
      case 'cancel':
        return {
          answered: await codeOf(this.guest.tasks.cancel(OPERATOR, task.id)),
          expected: task.cancel(),
        };
      case 'cancelInteraction': {
        const number = 1 + (step.number % (task.opened + 1));
        const call = this.guest.interactions.cancel(OPERATOR, interactionId(task.id, number));
        return { answered: await codeOf(call), expected: task.cancelInteraction(number) };
      }
      case 'lapse':
      case 'extend': {
        const number = 1 + (step.number % (task.opened + 1));
        const call = this.guest.interactions.extend(
          OPERATOR,
          interactionId(task.id, number),
          step.do === 'lapse' ? 0 : 3_000_000,
        );
        return { answered: await codeOf(call), expected: task.extend(number, step.do === 'lapse') };
      }
      case 'die':
        return same(await this.fixture.endLease(this.guest.member(task.id)));
      default:
        return this.holder(step);
    }
  }

  private async open(step: Extract<Operation, { do: 'open' }>) {
    if (this.tasks.all.length === 5) return same(undefined);
    const waits = Array.from({ length: step.waits }, () => asks(`${this.paths++}`));
    const guest = step.over ? this.guest.with({ task: 0 }) : this.guest;
    const taskId = await guest.open({ waits, ready: step.ready }, guest.tenant.operator());
    this.tasks.opened(
      taskId,
      waits.map((wait) => wait.path),
      step.ready,
      step.over,
    );
    return same(taskId);
  }

  private async accept(task: ModelTask, number: number, choice: number) {
    const text = `"answer ${choice}"`;
    const as = this.guest.tenant.operator();
    const call = this.guest
      .answer(task.id, number, { text, as })
      .then((reply) => (reply.replayed ? 'replayed' : 'accepted'));
    const answered = await call.catch((error: { code?: string }) => error.code);
    return { answered, expected: task.accept(number, text) };
  }

  private async take() {
    const { segments } = await this.fixture.shard.take(1);
    for (const segment of segments) this.held(segment);
    const ended = segments.filter((segment) => this.tasks.find(segment.taskId).ended);
    return { answered: ended.length, expected: 0 };
  }

  private held(segment: Segment): void {
    this.holders.push(segment);
    const task = this.tasks.find(segment.taskId);
    task.holder = segment;
    task.checkJournal(segment.state.journal);
  }

  private async sweep() {
    // A dead holder's lease is a task's place until it is given back, whoever notices first.
    await this.fixture.sweep();
    this.tasks.swept();
    return same(undefined);
  }

  private async holder(step: OfAHolder) {
    // Mostly those who came last: the others are late already.
    const segment = this.holders.at(-1 - Math.max(0, step.task - 8));
    if (segment === undefined) return same(undefined);
    const task = this.tasks.find(segment.taskId);
    switch (step.do) {
      case 'park': {
        const waits = Array.from({ length: step.waits }, () => asks(`${this.paths++}`));
        const sleep = step.sleep < 2 ? [sleeps(`${this.paths++}`, step.sleep === 0 ? 0 : 600_000)] : [];
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
      case 'release': {
        await segment.release(step.pause);
        return {
          answered: this.fixture.wiretap.last(RELEASE)[0],
          expected: task.release(segment, step.pause),
        };
      }
      case 'reload': {
        // Only a holder that heard "again" loads anew, and only what is leased, be it to another: what was given back
        // stands ready for whoever takes it next.
        const heard = task.again === segment;
        const leased = heard && (await this.fixture.isLeased(this.guest.member(task.id)));
        const again = heard ? await this.fixture.shard.reload(segment) : undefined;
        if (again !== undefined) this.held(again);
        return { answered: again !== undefined, expected: leased && !task.ended };
      }
    }
  }
}

function same(value: unknown): { answered: unknown; expected: unknown } {
  return { answered: value, expected: value };
}
