import { setTimeout as pause } from 'node:timers/promises';
import type { AnyJson } from '../harness/mcp-client.ts';

/** Statuses after which the same request may be repeated. */
const RETRYABLE_STATUSES = new Set([429, 502, 503, 504]);
const PATIENCE_MS = 90_000;

export interface Reply {
  /** A tool's structured content. */
  readonly content: AnyJson;
  readonly refused: boolean;
  /** The `x-baton-replica` header. */
  readonly replica: string;
}

/**
 * A client that repeats a call without a reply, or with a retryable status, unchanged and under the same idempotency key
 * until it succeeds. It counts the repeats.
 */
export class RetryingClient {
  /** Repeats by cause: a status and who sent it, or `connection`. */
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

  /** Calls a tool until there is a reply. `key` is the idempotency key of a call that starts a task. */
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
      if (performance.now() - begun > PATIENCE_MS) throw new Error(`${name} got no reply but ${reply}`);
      this.repeats.set(reply, (this.repeats.get(reply) ?? 0) + 1);
      await pause(Math.min(1_000, 50 * 2 ** tries));
    }
  }

  /** Starts a delegation; returns its directive. */
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

  /** Answers and waits for the end; `content` is the task's final status. */
  async answer(parked: Reply, data: object): Promise<Reply> {
    const { interactionId, taskId } = parked.content;
    const agentLLMResponse = { status: 'success', data };
    const accepted = await this.call('agent_llm', { interactionId, agentLLMResponse, waitMs: 10_000 });
    if (accepted.refused) return accepted;
    const { outcome } = accepted.content;
    return outcome.status === 'working' ? this.waitForEnd(taskId) : { ...accepted, content: outcome };
  }

  /** The status of a task once it no longer works. */
  async waitForEnd(taskId: string): Promise<Reply> {
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      const reply = await this.call('task_status', { taskId, waitMs: 10_000 });
      if (reply.refused || reply.content.status !== 'working') return reply;
      if (performance.now() > end) throw new Error(`task ${taskId} is still working`);
    }
  }

  get repeatCount(): number {
    return [...this.repeats.values()].reduce((sum, each) => sum + each, 0);
  }

  /** A reply, or the cause for a repeat. */
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
