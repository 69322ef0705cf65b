import { setTimeout as delay } from 'node:timers/promises';
import type { Fleet } from '../fleet.ts';
import type { AnswerKind, History, Reply, Request } from '../history.ts';
import { callTool, type Called, standingOf } from '../rpc.ts';
import { sayOf } from '../say.ts';

const TOOL = 'bench_echo';

/** Single requests by hand, each in the history like any client's. */
export class Hand {
  readonly plans: { key: string; call: { tool: string; args: object } }[] = [];
  private readonly fleet: Fleet;
  private readonly history: History;

  constructor(fleet: Fleet, history: History) {
    this.fleet = fleet;
    this.history = history;
  }

  /** Starts so many tasks on one gateway; gives their interactions. */
  async startTasks(count: number, gateway: string): Promise<Asked[]> {
    return Promise.all(
      Array.from({ length: count }, async () => {
        const key = `m-t${this.plans.length}`;
        this.plans.push({ key, call: { tool: TOOL, args: { text: key } } });
        const params = { name: TOOL, arguments: { text: key }, _meta: { 'baton/idempotencyKey': key } };
        const reply = await this.send(key, gateway, { f: 'start', key }, params, 10_000);
        const [asked] = reply?.standing?.pending ?? [];
        if (reply?.standing === undefined || asked === undefined) throw new Error(`${key} was not started`);
        return { key, taskId: reply.standing.taskId, interactionId: asked.interactionId };
      }),
    );
  }

  /** Answers without waiting for the outcome; undefined when no reply came within `limitMs`. */
  async answer(
    asked: Asked,
    kind: AnswerKind,
    gateway: string,
    limitMs = 10_000,
  ): Promise<Reply | undefined> {
    const { key, interactionId } = asked;
    const mark = `${key}:1a`;
    const args = { interactionId, agentLLMResponse: sayOf(kind, mark, TOOL), waitMs: 0 };
    const params = { name: 'agent_llm', arguments: args };
    return this.send(key, gateway, { f: 'answer', interactionId, mark, kind }, params, limitMs);
  }

  /** Asks how tasks stand until all are as `enough` has it, or so long. False when they were not in time. */
  async until(
    tasks: readonly Asked[],
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
      if (replies.every((reply) => enough(reply?.standing?.status ?? 'unknown'))) return true;
    }
    return false;
  }

  private async send(
    client: string,
    gateway: string,
    request: Request,
    params: { name: string; arguments: object; _meta?: object },
    limitMs: number,
  ): Promise<Reply | undefined> {
    const id = this.history.invoke(client, gateway, request);
    const { url = '' } = this.fleet.member(gateway);
    const called = await callTool(url, this.fleet.apiKey, params, limitMs);
    if (called.kind === 'unknown') {
      this.history.add({ type: 'unknown', id, why: called.why });
      return undefined;
    }
    const reply = replyOf(called);
    this.history.add({ type: 'reply', id, reply });
    return reply;
  }
}

export interface Asked {
  readonly key: string;
  readonly taskId: string;
  readonly interactionId: string;
}

function replyOf(called: Exclude<Called, { kind: 'unknown' }>): Reply {
  if (called.kind === 'refused') return { verdict: called.code };
  const { content } = called;
  if (content.outcome === undefined) return { verdict: 'ok', standing: standingOf(content) };
  const standing = standingOf(content.outcome, content.taskId);
  return { verdict: content.replayed ? 'replayed' : 'accepted', standing };
}
