import { setTimeout as delay } from 'node:timers/promises';
import { parseInteractionId } from '@baton/protocol';
import { seededRandom } from '../../harness/seeded-random.ts';
import { hasEnded } from '../checker/final-state.ts';
import type { ProxiedDeployment } from '../deployment/proxied-deployment.ts';
import type { AnswerKind, History, Reply, Request, ReportedTask } from '../checker/history.ts';
import type { ClientPlan } from './client-plan.ts';
import {
  callToolForOutcome,
  type KnownOutcome,
  repeatUntilKnown,
  type ToolParams,
  toReportedTask,
} from './tool-call.ts';
import { buildAnswerBody } from './answer-body.ts';

/** Time limit of a request beyond the wait that it asks for. */
const LIMIT_MS = 3_000;

/** Time limit of a start, which may run a task's first segment; a sleep lasts at most as long as a short-lived task. */
const START_LIMIT_MS = 8_000;

export interface RunContext {
  readonly deployment: ProxiedDeployment;
  readonly history: History;
  /** Aborted when the run ends, finished or not. */
  readonly ended: AbortSignal;
}

/**
 * A client that carries out one plan. It repeats every request of unknown outcome (the same call under the same
 * idempotency key, the same answer) at any replica until the outcome is known.
 */
export class PlannedClient {
  private readonly plan: ClientPlan;
  private readonly context: RunContext;
  private readonly random;
  private readonly handled = new Set<string>();
  private task: ReportedTask | undefined;
  private answerCount = 0;

  constructor(plan: ClientPlan, context: RunContext) {
    this.plan = plan;
    this.context = context;
    this.random = seededRandom(`ways of ${plan.key}`);
  }

  /** Runs the plan until its task ends; false when the run ended before. */
  async run(): Promise<boolean> {
    const { plan, context } = this;
    await delay(plan.startAt);
    this.task = await this.start();
    if (this.task === undefined) return false;
    const { taskId } = this.task;
    const cancelling = plan.cancelAfter === undefined ? undefined : this.cancel(taskId, plan.cancelAfter);
    while (this.task !== undefined && !hasEnded(this.task.status) && !context.ended.aborted) {
      const open: string[] = this.task.pending
        .map(({ interactionId }) => interactionId)
        .filter((id) => !this.handled.has(id));
      if (open.length > 0 && plan.answers.length > 0) {
        for (const id of open) this.handled.add(id);
        const before: ReportedTask = this.task;
        const stands = await Promise.all(open.map((id) => this.answerAsPlanned(id)));
        const news = stands.findLast((one) => one !== undefined);
        if (news !== undefined && news !== before) {
          this.task = news;
          continue;
        }
      }
      this.task = await this.pollStatus(taskId);
    }
    await cancelling;
    return this.task !== undefined && hasEnded(this.task.status);
  }

  private async start(): Promise<ReportedTask | undefined> {
    const { key, call, short } = this.plan;
    const params = { name: call.tool, arguments: call.args, _meta: { 'baton/idempotencyKey': key } };
    const names = short ? ['gateway-2'] : ['gateway-0', 'gateway-1'];
    const reply = await this.send({ f: 'start', key }, params, names, START_LIMIT_MS, (outcome) =>
      outcome.kind === 'done'
        ? { verdict: 'ok', task: toReportedTask(outcome.content) }
        : refusalReply(outcome),
    );
    return reply?.task;
  }

  /** Answers one interaction as planned; returns the task's status after it. */
  private async answerAsPlanned(interactionId: string): Promise<ReportedTask | undefined> {
    const { plan } = this;
    const { number = 0 } = parseInteractionId(interactionId) ?? {};
    await delay(plan.think);
    const kind = plan.answers[Math.min(this.answerCount++, plan.answers.length - 1)] ?? 'right';
    const say = (variant: string, as: AnswerKind = kind) =>
      this.postAnswer(interactionId, `${plan.key}:${number}${variant}`, as);
    if (kind === 'malformed') {
      await say('m');
      return say('a', 'right');
    }
    if (plan.twice === 'no') return say('a');
    const [first, second] = await Promise.all([say('a'), say(plan.twice === 'same' ? 'a' : 'b')]);
    return first ?? second;
  }

  private async postAnswer(
    interactionId: string,
    mark: string,
    kind: AnswerKind,
  ): Promise<ReportedTask | undefined> {
    const { waitMs, call } = this.plan;
    const params = {
      name: 'agent_llm',
      arguments: { interactionId, agentLLMResponse: buildAnswerBody(kind, mark, call.tool), waitMs },
    };
    const request = { f: 'answer', interactionId, mark, kind } as const;
    const reply = await this.send(request, params, undefined, waitMs + LIMIT_MS, (reply) => {
      if (reply.kind !== 'done') return refusalReply(reply);
      const { replayed, outcome, taskId } = reply.content;
      const task = outcome && toReportedTask(outcome, taskId);
      return { verdict: replayed ? 'replayed' : 'accepted', ...(task ? { task } : {}) };
    });
    return reply?.task;
  }

  private async cancel(taskId: string, after: number): Promise<void> {
    await delay(after);
    const params = { name: 'cancel_task', arguments: { taskId } };
    await this.send({ f: 'cancel', taskId }, params, undefined, LIMIT_MS, (outcome) =>
      outcome.kind === 'done' ? { verdict: 'ok' } : refusalReply(outcome),
    );
  }

  private async pollStatus(taskId: string): Promise<ReportedTask | undefined> {
    const waiting = this.task?.status === 'input_required';
    // The interaction stays unanswered, or its answer is under way: there is nothing to wait for.
    if (waiting) await delay(this.plan.answers.length === 0 ? 700 : 100);
    const params = { name: 'task_status', arguments: { taskId, waitMs: waiting ? 0 : 1_000 } };
    const reply = await this.send({ f: 'status', taskId }, params, undefined, LIMIT_MS, (outcome) =>
      outcome.kind === 'done'
        ? { verdict: 'ok', task: toReportedTask(outcome.content) }
        : refusalReply(outcome),
    );
    return reply?.task;
  }

  /** Repeats a request until its outcome is known or the run ends. */
  private async send(
    request: Request,
    params: ToolParams,
    names: readonly string[] | undefined,
    limitMs: number,
    read: (called: KnownOutcome) => Reply,
  ): Promise<Reply | undefined> {
    const { deployment, history, ended } = this.context;
    const able = names ?? deployment.gateways.map(({ name }) => name);
    const attempt = async () => {
      const { name, url, isRunning } = deployment.getProcess(this.random.pick(able));
      if (!isRunning) return undefined;
      const id = history.invoke(this.plan.key, name, request);
      const outcome = await callToolForOutcome(url, deployment.apiKey, params, limitMs);
      if (outcome.kind === 'unknown') history.add({ type: 'unknown', id, why: outcome.why });
      else history.add({ type: 'reply', id, reply: read(outcome) });
      return outcome;
    };
    const known = await repeatUntilKnown(attempt, () => ended.aborted);
    return known && read(known);
  }
}

function refusalReply({ code, taskId }: Extract<KnownOutcome, { kind: 'refused' }>): Reply {
  // A repeated start of a task that has failed meanwhile returns its error and its task id.
  return {
    verdict: code,
    ...(taskId === undefined ? {} : { task: { taskId, status: 'working', pending: [] } }),
  };
}
