import { setTimeout as pause } from 'node:timers/promises';
import type { AnyJson } from '../harness/mcp-client.ts';

/** What says "not now": the same request again, after a pause, is safe and may help. */
const RETRYABLE_STATUSES = new Set([429, 502, 503, 504]);
const PATIENCE_MS = 90_000;

export interface Reply {
  /** A tool's structured content. */
  readonly content: AnyJson;
  readonly refused: boolean;
  /** Who answered, as `x-baton-replica` says. */
  readonly replica: string;
}

/**
 * A client as the README asks for one: it repeats what got no answer or a "not now" (the same call with the same
 * idempotency key, the same answer), as long as it takes, and changes nothing about it. It keeps count.
 */
export class RetryingClient {
  /** By what made it repeat: a status and who gave it, or `connection`. */
  readonly repeats = new Map<string, number>();
  /** Responses without `x-baton-replica`, whatever their status. */
  readonly repliesWithoutReplica: string[] = [];
  readonly milliseconds: number[] = [];
  private readonly url: string;
  private readonly apiKey: string;

  constructor(url: string, apiKey: string) {
    this.url = url;
    this.apiKey = apiKey;
  }

  /** Calls a tool until it is answered. `key` is the idempotency key of a call that starts something. */
  async call(name: string, args: object, key?: string): Promise<Reply> {
    const params = {
      name,
      arguments: args,
      ...(key === undefined ? {} : { _meta: { 'baton/idempotencyKey': key } }),
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const begun = performance.now();
    for (let tries = 0; ; tries++) {
      const reply = await this.attempt(body);
      if (typeof reply === 'object') {
        this.milliseconds.push(performance.now() - begun);
        return reply;
      }
      if (performance.now() - begun > PATIENCE_MS) throw new Error(`${name} got no answer but ${reply}`);
      this.repeats.set(reply, (this.repeats.get(reply) ?? 0) + 1);
      await pause(Math.min(1_000, 50 * 2 ** tries));
    }
  }

  /** Opens work that must delegate, and gives its directive. */
  async park(args: object, key?: string): Promise<Reply> {
    const reply = await this.call(
      'parse_prd',
      { prd: 'A shop that sells three kinds of tea.', ...args },
      key,
    );
    if (reply.content?.status !== 'pending_agent_llm_action')
      throw new Error(`parse_prd did not park: ${JSON.stringify(reply.content)}`);
    return reply;
  }

  /** Answers, and waits for as long as the work goes on. `content` is the task's standing in the end. */
  async answer(parked: Reply, data: object): Promise<Reply> {
    const { interactionId, taskId } = parked.content;
    const agentLLMResponse = { status: 'success', data };
    const accepted = await this.call('agent_llm', { interactionId, agentLLMResponse, waitMs: 10_000 });
    if (accepted.refused) return accepted;
    const { outcome } = accepted.content;
    return outcome.status === 'working' ? this.waitForEnd(taskId) : { ...accepted, content: outcome };
  }

  /** How a task stands once it no longer works. */
  async waitForEnd(taskId: string): Promise<Reply> {
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      const reply = await this.call('task_status', { taskId, waitMs: 10_000 });
      if (reply.refused || reply.content.status !== 'working') return reply;
      if (performance.now() > end) throw new Error(`task ${taskId} still works`);
    }
  }

  get repeatCount(): number {
    return [...this.repeats.values()].reduce((sum, each) => sum + each, 0);
  }

  /** An answer, or why there was none. */
  private async attempt(body: string): Promise<Reply | string> {
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${this.url}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${this.apiKey}` },
        body,
        signal: AbortSignal.timeout(30_000),
      });
      text = await response.text();
    } catch {
      return 'connection';
    }
    const replica = response.headers.get('x-baton-replica');
    if (replica === null) this.repliesWithoutReplica.push(`${response.status} ${text.slice(0, 200)}`);
    if (RETRYABLE_STATUSES.has(response.status))
      return `${response.status} ${replica === 'caddy' ? 'front' : 'gateway'}`;
    const message = JSON.parse(text) as AnyJson;
    if (message.result === undefined) throw new Error(`${response.status} ${text.slice(0, 500)}`);
    const { structuredContent: content, isError: refused = false } = message.result;
    return { content, refused, replica: replica ?? '' };
  }
}

/** What an LLM would answer: a plan of these tasks. */
export function planAnswer(titles: readonly string[], description = 'To be built.') {
  return { tasks: titles.map((title, index) => ({ id: index + 1, title, description })) };
}
