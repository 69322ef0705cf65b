import { countedStorage, measureStorage } from './measured-storage.ts';
import { formatInteractionId, type InteractionStatus, type TaskStatus } from '@baton/protocol';
import { taskRef } from '../records/keys.ts';
import type { Wait } from '../records/park-request.ts';
import type { FencedSegment } from '../tasks/fenced-segment.ts';
import { taskFieldNameOf } from './task-fields.ts';
import type { TestTenant } from './test-tenant.ts';
import { requireTransition } from './transitions.ts';

type Interaction =
  | { readonly is: 'pending'; readonly path: string; readonly lapsed: boolean }
  | { readonly is: 'answered'; readonly path: string; readonly text: string }
  | { readonly is: 'expired' | 'cancelled'; readonly path: string };

/** A task as it should stand, in memory. Its methods say what the store should answer. */
export class ExpectedTask {
  readonly id: string;
  private now: TaskStatus = 'input_required';
  /** Who loaded it last, whose fence is the one that counts. */
  holder: FencedSegment | undefined;
  /** Who was told to load it anew. */
  again: FencedSegment | undefined;
  /** Answers, expiries and cancellations so far, and how many of them a segment has seen and parked. */
  events = 0;
  parkedWith = 0;
  /** A worker has something to do, whatever came from outside. */
  private started: boolean;
  private over: boolean;
  private wasRetried = false;
  private readonly interactions: Interaction[] = [];
  private readonly sleeps: { readonly lapsed: boolean }[] = [];

  constructor(id: string, paths: readonly string[], ready: boolean, over: boolean) {
    this.id = id;
    this.started = !ready;
    this.over = over;
    this.opens(paths);
  }

  get status(): TaskStatus {
    return this.now;
  }

  private set status(next: TaskStatus) {
    requireTransition('task', this.now, next);
    this.now = next;
  }

  get opened(): number {
    return this.interactions.length;
  }

  get ended(): boolean {
    return this.status !== 'input_required' && this.status !== 'working';
  }

  /** Something waits that no segment has consumed, so somebody must be on the way to it. */
  get owed(): boolean {
    return !this.ended && (!this.started || this.events > this.parkedWith);
  }

  get pending(): number[] {
    return this.interactions.flatMap(({ is }, index) => (is === 'pending' ? [index + 1] : []));
  }

  statusOf(number: number): InteractionStatus | undefined {
    return this.interactions[number - 1]?.is;
  }

  get answers(): ReadonlyMap<string, string> {
    return new Map(
      this.interactions.flatMap((one) => (one.is === 'answered' ? [[one.path, one.text] as const] : [])),
    );
  }

  accept(number: number, text: string): string {
    const one = this.interactions[number - 1];
    if (one === undefined) return 'interaction_not_found';
    if (one.is === 'answered') return one.text === text ? 'replayed' : 'interaction_already_answered';
    if (one.is !== 'pending') return `interaction_${one.is}`;
    if (one.lapsed) return 'interaction_expired';
    this.close(number, { is: 'answered', path: one.path, text });
    return 'accepted';
  }

  extend(number: number, lapses: boolean): string {
    const one = this.interactions[number - 1];
    if (one === undefined) return 'interaction_not_found';
    if (one.is !== 'pending')
      return one.is === 'answered' ? 'interaction_already_answered' : `interaction_${one.is}`;
    if (one.lapsed) return 'interaction_expired';
    this.interactions[number - 1] = { ...one, lapsed: lapses };
    return 'done';
  }

  cancelInteraction(number: number): string {
    const one = this.interactions[number - 1];
    if (one === undefined) return 'interaction_not_found';
    if (one.is !== 'pending')
      return one.is === 'answered' ? 'interaction_already_answered' : `interaction_${one.is}`;
    this.close(number, { is: 'cancelled', path: one.path });
    return 'done';
  }

  cancel(): string {
    if (this.ended) return 'task_ended';
    this.end('cancelled', 'cancelled');
    return 'done';
  }

  /** A retry has a deadline of its own, and whatever came before is consumed by the segment that it owes. */
  retry(): string {
    if (this.status !== 'failed') return this.wasRetried && !this.ended ? 'replayed' : 'task_not_failed';
    this.status = 'working';
    this.over = false;
    this.wasRetried = true;
    this.started = false;
    this.sleeps.length = 0;
    this.holder = undefined;
    this.events++;
    return 'retried';
  }

  park(segment: FencedSegment, paths: readonly string[], sleep: Wait | undefined): string {
    if (!this.mayWrite(segment)) return 'stale';
    this.holder = undefined;
    this.opens(paths);
    if (sleep?.kind === 'sleep') this.sleeps.push({ lapsed: this.over || sleep.ms === 0 });
    this.status = this.pending.length > 0 ? 'input_required' : 'working';
    this.again = Number(segment.task.seen) === this.events ? undefined : segment;
    if (this.again !== undefined) return 'again';
    this.started = true;
    this.parkedWith = this.events;
    return 'parked';
  }

  settle(segment: FencedSegment): string {
    if (!this.mayWrite(segment)) return 'stale';
    this.end('completed', 'cancelled');
    return 'settled';
  }

  /** RELEASE or HOLD: its holder is stale from here on. */
  lose(segment: FencedSegment, how: 'released' | 'held'): string {
    if (!this.mayWrite(segment)) return 'stale';
    this.holder = undefined;
    return how;
  }

  /** What a sweep does to it. */
  swept(): void {
    if (this.ended) return;
    if (this.over) return this.end('failed', 'expired');
    for (const [index, one] of this.interactions.entries()) {
      if (one.is === 'pending' && one.lapsed) this.close(index + 1, { is: 'expired', path: one.path });
    }
    for (let at = this.sleeps.length - 1; at >= 0; at--) {
      if (this.sleeps[at]?.lapsed && this.sleeps.splice(at, 1)) this.events++;
    }
  }

  /** A replay finds each accepted answer, as it was accepted. */
  checkJournal(journal: ReadonlyMap<string, string>): void {
    for (const [path, text] of this.answers) {
      if (journal.get(path) !== `llm+${text}`)
        throw new Error(`the journal has ${journal.get(path)} for the answer ${text}`);
    }
  }

  private mayWrite(segment: FencedSegment): boolean {
    return this.holder === segment && !this.ended;
  }

  private opens(paths: readonly string[]): void {
    for (const path of paths) this.interactions.push({ is: 'pending', path, lapsed: this.over });
  }

  private close(number: number, how: Interaction): void {
    this.replace(number, how);
    this.events++;
    this.status = this.pending.length > 0 ? 'input_required' : 'working';
  }

  private end(status: 'completed' | 'failed' | 'cancelled', void_: 'expired' | 'cancelled'): void {
    this.status = status;
    for (const number of this.pending) this.replace(number, { is: void_, path: '' });
  }

  private replace(number: number, next: Interaction): void {
    requireTransition('interaction', this.statusOf(number) ?? 'new', next.is);
    this.interactions[number - 1] = next;
  }
}

/** All tasks of a tenant as they should stand. */
export class ExpectedTasks {
  readonly all: ExpectedTask[] = [];
  private readonly testTenant: TestTenant;

  constructor(testTenant: TestTenant) {
    this.testTenant = testTenant;
  }

  opened(id: string, paths: readonly string[], ready: boolean, over: boolean): void {
    this.all.push(new ExpectedTask(id, paths, ready, over));
  }

  pick(number: number): ExpectedTask | undefined {
    return this.all[number % (this.all.length || 1)];
  }

  find(id: string): ExpectedTask {
    const task = this.all.find((one) => one.id === id);
    if (task === undefined) throw new Error(`nobody opened ${id}`);
    return task;
  }

  swept(): void {
    for (const task of this.all) task.swept();
  }

  /** What is wrong in Redis, if anything is: the claims that hold between any two steps. */
  async findDifferences(): Promise<string[]> {
    const { redis } = this.testTenant.fixture;
    const { keys } = this.testTenant;
    const all = redis
      .pipeline()
      .zrange(keys.ready, '0', '-1')
      .zrange(keys.held, '0', '-1')
      .hgetall(keys.jobs);
    all.zrange(keys.deadlines, '0', '-1', 'WITHSCORES').zrange(keys.pending, '0', '-1').zcard(keys.tasks);
    all.hget(keys.tenant, 'open').zcard(keys.claims);
    for (const task of this.all) all.hgetall(keys.task(task.id));
    const replies = ((await all.exec()) ?? []).map(([, reply]) => reply);
    const [ready, held, jobs, deadlines, pending, tasks, open, claims, ...records] = replies as [
      string[],
      string[],
      Record<string, string>,
      string[],
      string[],
      number,
      string | null,
      number,
      ...Record<string, string>[],
    ];
    const unfinished = this.all.filter((task) => !task.ended);
    const due = new Map(
      deadlines.flatMap((member, at) => (at % 2 ? [] : [[member, Number(deadlines[at + 1])] as const])),
    );
    const { ready: _, held: _also, next: _last, ...batches } = jobs;
    const taken = Object.values(batches).flatMap((refs) => refs.split(' '));
    const heldRefs = held.map((member) => member.split(' ').at(-1));
    const wrong: string[] = [];
    const claim = (holds: boolean, what: string) => void (holds || wrong.push(what));

    const expected = this.all.flatMap((task) =>
      task.pending.map((number) => `${keys.task(task.id).split(':').at(-1)}.${number}|operator`),
    );
    claim(same(pending, expected), `pending is ${pending}, not ${expected}`);
    claim(
      Number(open ?? 0) === unfinished.length,
      `the open counter is ${open}, of ${unfinished.length} unfinished tasks`,
    );
    claim(tasks === this.all.length, `the index has ${tasks} of ${this.all.length} tasks`);
    claim(claims === 0, 'nobody claimed anything');
    const [counted, measured] = await Promise.all([countedStorage(redis, keys), measureStorage(redis, keys)]);
    claim(
      JSON.stringify(counted) === JSON.stringify(measured),
      `${JSON.stringify(counted)} is counted, of ${JSON.stringify(measured)}`,
    );
    claim(
      same(
        [...due.keys()],
        unfinished.map((task) => taskRef(task.id)),
      ),
      `deadlines are of ${[...due.keys()]}`,
    );
    for (const [index, task] of this.all.entries()) {
      const record = records[index] ?? {};
      const ref = taskRef(task.id);
      const places_ = [...ready, ...heldRefs, ...taken].filter((one) => one === ref).length;
      const name = `task ${index}`;
      const strangers = Object.keys(record).filter((field) => taskFieldNameOf(field) === undefined);
      claim(strangers.length === 0, `${name} has unknown fields: ${strangers}`);
      for (let number = 1; number <= task.opened; number++) {
        const status = interactionStatusIn(record, number);
        claim(
          status === task.statusOf(number),
          `${name}.${number} is ${status}, not ${task.statusOf(number)}`,
        );
      }
      claim(record['st'] === task.status, `${name} is ${record['st']}, not ${task.status}`);
      claim(
        Number(record['ev'] ?? 0) === task.events,
        `${name} had ${record['ev']} events, not ${task.events}`,
      );
      claim(places_ <= (task.ended ? 0 : 1), `${name} stands in ${places_} places`);
      const stands = ready.includes(ref)
        ? 'ready'
        : heldRefs.includes(ref)
          ? 'held'
          : taken.includes(ref)
            ? 'batch'
            : '';
      const said = record['q'] ?? '';
      const batch = `  ${batches[said] ?? ''} `.includes(` ${ref} `);
      claim(
        stands === 'batch' ? batch || said !== '' : said === stands,
        `${name} stands ${stands || 'nowhere'}, and its record says '${said}'`,
      );
      claim(!task.owed || places_ === 1, `${name} was forgotten`);
      if (!task.ended)
        claim((due.get(ref) ?? Infinity) <= firstDue(record), `${name}'s deadline stands too late`);
      for (const [path, text] of task.answers) {
        claim(
          record[`j:${path}`] === `llm+${text}`,
          `${name} has ${record[`j:${path}`]} for the answer ${text}`,
        );
      }
      for (const number of task.pending) {
        const listed = ` ${record['open']}`.includes(` ${number};`);
        claim(listed, `${name} does not wait for ${formatInteractionId(task.id, number)}`);
      }
    }
    return wrong;
  }
}

function interactionStatusIn(record: Record<string, string>, number: number): string | undefined {
  if (` ${record['open']}`.includes(` ${number};`)) return 'pending';
  return record[`g${number}`] === undefined ? record[`x${number}`]?.split(';')[0] : 'answered';
}

/** The first thing of a task that falls due: its own end, or a wait. */
function firstDue(record: Record<string, string>): number {
  const waits = (record['open'] ?? '')
    .split(' ')
    .flatMap((wait) => (wait === '' ? [] : [Number(wait.split(';')[1])]));
  return Math.min(Number(record['ex']), ...waits);
}

function same(some: readonly string[], others: readonly string[]): boolean {
  return [...some].sort().join(' ') === [...others].sort().join(' ');
}
