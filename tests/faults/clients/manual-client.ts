import { setTimeout as delay } from 'node:timers/promises';
import type { ProxiedDeployment } from '../deployment/proxied-deployment.ts';
import type { AnswerKind, History, Reply, Request } from '../checker/history.ts';
import { callToolForOutcome, type KnownOutcome, type ToolParams, toReportedTask } from './tool-call.ts';
import { buildAnswerBody } from './answer-body.ts';

const TOOL = 'bench_echo';

/** A client whose requests a test makes one by one; all are recorded in the history. */
export class ManualClient {
  readonly plans: { key: string; call: { tool: string; args: object } }[] = [];
  private readonly deployment: ProxiedDeployment;
  private readonly history: History;

  constructor(deployment: ProxiedDeployment, history: History) {
    this.deployment = deployment;
    this.history = history;
  }

  /** Starts tasks on one gateway; returns their interactions. */
  async startTasks(count: number, gateway: string): Promise<StartedTask[]> {
    return Promise.all(
      Array.from({ length: count }, async () => {
        const key = `m-t${this.plans.length}`;
        this.plans.push({ key, call: { tool: TOOL, args: { text: key } } });
        const params = { name: TOOL, arguments: { text: key }, _meta: { 'baton/idempotencyKey': key } };
        const reply = await this.send(key, gateway, { f: 'start', key }, params, 10_000);
        const [asked] = reply?.task?.pending ?? [];
        if (reply?.task === undefined || asked === undefined) throw new Error(`${key} was not started`);
        return { key, taskId: reply.task.taskId, interactionId: asked.interactionId };
      }),
    );
  }

  /** Answers with `waitMs` 0; undefined when there is no reply within `limitMs`. */
  async answer(
    asked: StartedTask,
    kind: AnswerKind,
    gateway: string,
    limitMs = 10_000,
  ): Promise<Reply | undefined> {
    const { key, interactionId } = asked;
    const mark = `${key}:1a`;
    const args = { interactionId, agentLLMResponse: buildAnswerBody(kind, mark, TOOL), waitMs: 0 };
    const params = { name: 'agent_llm', arguments: args };
    return this.send(key, gateway, { f: 'answer', interactionId, mark, kind }, params, limitMs);
  }

  /** Polls until the status of all tasks satisfies `enough`; false when that takes longer than `patience` ms. */
  async waitForStatus(
    tasks: readonly StartedTask[],
    enough: (status: string) => boolean,
    gateway: string,
    patience = 20_000,
  ): Promise<boolean> {
    for (const deadline = performance.now() + patience; performance.now() < deadline; await delay(100)) {
      const replies = await Promise.all(
        tasks.map(({ key, taskId }) => {
          const params = { name: 'task_status', arguments: { taskId } };
          return this.send(key, gateway, { f: 'status', taskId }, params, 10_000);
        }),
      );
      if (replies.every((reply) => enough(reply?.task?.status ?? 'unknown'))) return true;
    }
    return false;
  }

  private async send(
    client: string,
    gateway: string,
    request: Request,
    params: ToolParams,
    limitMs: number,
  ): Promise<Reply | undefined> {
    const id = this.history.invoke(client, gateway, request);
    const { url } = this.deployment.getProcess(gateway);
    const called = await callToolForOutcome(url, this.deployment.apiKey, params, limitMs);
    if (called.kind === 'unknown') {
      this.history.add({ type: 'unknown', id, why: called.why });
      return undefined;
    }
    const reply = toReply(called);
    this.history.add({ type: 'reply', id, reply });
    return reply;
  }
}

export interface StartedTask {
  readonly key: string;
  readonly taskId: string;
  readonly interactionId: string;
}

function toReply(called: KnownOutcome): Reply {
  if (called.kind === 'refused') return { verdict: called.code };
  const { content } = called;
  if (content.outcome === undefined) return { verdict: 'ok', task: toReportedTask(content) };
  const task = toReportedTask(content.outcome, content.taskId);
  return { verdict: content.replayed ? 'replayed' : 'accepted', task };
}
