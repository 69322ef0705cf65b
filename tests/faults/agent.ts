import { setTimeout as delay } from 'node:timers/promises';
import { parseInteractionId } from '@baton/protocol';
import { randomOf } from '../scripted-agent/random.ts';
import { hasEnded } from './final-state.ts';
import type { Fleet } from './fleet.ts';
import type { AnswerKind, History, Reply, Request, Standing } from './history.ts';
import type { Plan } from './plan.ts';
import { type Called, callTool, standingOf } from './rpc.ts';
import { sayOf } from './say.ts';

/** How long a request may take beyond what it asked to be held. */
const LIMIT_MS = 3_000;

/** A start may be held for what its task does first; a sleep is at most as long as a short-lived task. */
const START_LIMIT_MS = 8_000;

export interface World {
  readonly fleet: Fleet;
  readonly history: History;
  /** Aborted when the run is over, whatever the clients have got done. */
  readonly over: AbortSignal;
}

/**
 * A good client: what it does not know the outcome of it repeats, the same call under the same key, the same answer,
 * on whatever replica, until it knows. It carries out one plan.
 */
export class Agent {
  private readonly plan: Plan;
  private readonly world: World;
  private readonly random;
  private readonly handled = new Set<string>();
  private standing: Standing | undefined;
  private answered = 0;

  constructor(plan: Plan, world: World) {
    this.plan = plan;
    this.world = world;
    this.random = randomOf(`ways of ${plan.key}`);
  }

  /** Runs the plan to its task's end; false when the run was over before. */
  async run(): Promise<boolean> {
    const { plan, world } = this;
    await delay(plan.startAt);
    this.standing = await this.start();
    if (this.standing === undefined) return false;
    const { taskId } = this.standing;
    const cancelling = plan.cancelAfter === undefined ? undefined : this.cancel(taskId, plan.cancelAfter);
    while (this.standing !== undefined && !hasEnded(this.standing.status) && !world.over.aborted) {
      const open: string[] = this.standing.pending
        .map(({ interactionId }) => interactionId)
        .filter((id) => !this.handled.has(id));
      if (open.length > 0 && plan.answers.length > 0) {
        for (const id of open) this.handled.add(id);
        const before: Standing = this.standing;
        const stands = await Promise.all(open.map((id) => this.handle(id)));
        const news = stands.findLast((one) => one !== undefined);
        if (news !== undefined && news !== before) {
          this.standing = news;
          continue;
        }
      }
      this.standing = await this.look(taskId);
    }
    await cancelling;
    return this.standing !== undefined && hasEnded(this.standing.status);
  }

  private async start(): Promise<Standing | undefined> {
    const { key, call, short } = this.plan;
    const params = { name: call.tool, arguments: call.args, _meta: { 'baton/idempotencyKey': key } };
    const names = short ? ['gateway-2'] : ['gateway-0', 'gateway-1'];
    const reply = await this.insist({ f: 'start', key }, params, names, START_LIMIT_MS, (called) =>
      called.kind === 'done' ? { verdict: 'ok', standing: standingOf(called.content) } : refusalOf(called),
    );
    return reply?.standing;
  }

  /** Answers one interaction as the plan has it, and gives how the task stood after it. */
  private async handle(interactionId: string): Promise<Standing | undefined> {
    const { plan } = this;
    const { number = 0 } = parseInteractionId(interactionId) ?? {};
    await delay(plan.think);
    const kind = plan.answers[Math.min(this.answered++, plan.answers.length - 1)] ?? 'right';
    const say = (variant: string, as: AnswerKind = kind) =>
      this.answer(interactionId, `${plan.key}:${number}${variant}`, as);
    if (kind === 'malformed') {
      await say('m');
      return say('a', 'right');
    }
    if (plan.twice === 'no') return say('a');
    const [first, second] = await Promise.all([say('a'), say(plan.twice === 'same' ? 'a' : 'b')]);
    return first ?? second;
  }

  private async answer(interactionId: string, mark: string, kind: AnswerKind): Promise<Standing | undefined> {
    const { waitMs, call } = this.plan;
    const params = {
      name: 'agent_llm',
      arguments: { interactionId, agentLLMResponse: sayOf(kind, mark, call.tool), waitMs },
    };
    const request = { f: 'answer', interactionId, mark, kind } as const;
    const reply = await this.insist(request, params, undefined, waitMs + LIMIT_MS, (called) => {
      if (called.kind !== 'done') return refusalOf(called);
      const { replayed, outcome, taskId } = called.content;
      const standing = outcome && standingOf(outcome, taskId);
      return { verdict: replayed ? 'replayed' : 'accepted', ...(standing ? { standing } : {}) };
    });
    return reply?.standing;
  }

  private async cancel(taskId: string, after: number): Promise<void> {
    await delay(after);
    const params = { name: 'cancel_task', arguments: { taskId } };
    await this.insist({ f: 'cancel', taskId }, params, undefined, LIMIT_MS, (called) =>
      called.kind === 'done' ? { verdict: 'ok' } : refusalOf(called),
    );
  }

  private async look(taskId: string): Promise<Standing | undefined> {
    const waiting = this.standing?.status === 'input_required';
    // An interaction that it does not answer, or whose answer is on its way: nothing tells when that is over.
    if (waiting) await delay(this.plan.answers.length === 0 ? 700 : 100);
    const params = { name: 'task_status', arguments: { taskId, waitMs: waiting ? 0 : 1_000 } };
    const reply = await this.insist({ f: 'status', taskId }, params, undefined, LIMIT_MS, (called) =>
      called.kind === 'done' ? { verdict: 'ok', standing: standingOf(called.content) } : refusalOf(called),
    );
    return reply?.standing;
  }

  /** Repeats a request until its outcome is known, or the run is over. */
  private async insist(
    request: Request,
    params: { name: string; arguments: object; _meta?: object },
    names: readonly string[] | undefined,
    limitMs: number,
    read: (called: Exclude<Called, { kind: 'unknown' }>) => Reply,
  ): Promise<Reply | undefined> {
    const { fleet, history, over } = this.world;
    const able = names ?? fleet.gateways.map(({ name }) => name);
    for (let pause = 50; !over.aborted; pause = Math.min(2_000, pause * 2)) {
      const { name, url } = fleet.member(this.random.pick(able));
      if (url !== undefined) {
        const id = history.invoke(this.plan.key, name, request);
        const called = await callTool(url, fleet.apiKey, params, limitMs);
        if (called.kind !== 'unknown') {
          const reply = read(called);
          history.add({ type: 'reply', id, reply });
          return reply;
        }
        history.add({ type: 'unknown', id, why: called.why });
      }
      await delay(pause + this.random.below(pause));
    }
    return undefined;
  }
}

function refusalOf({ code, taskId }: Extract<Called, { kind: 'refused' }>): Reply {
  // A repeated start of a task that has failed meanwhile says how it failed, and of which task it speaks.
  return {
    verdict: code,
    ...(taskId === undefined ? {} : { standing: { taskId, status: 'working', pending: [] } }),
  };
}
