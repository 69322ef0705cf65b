import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { Redis } from 'ioredis';
import { vi } from 'vitest';
import { type DeploymentOptions, InProcessDeployment } from '../harness/in-process-deployment.ts';
import {
  type AnyJson,
  callTool,
  connectMcpClient,
  postJsonRpc,
  successAnswer,
} from '../harness/mcp-client.ts';

export const RELATED_TASK = 'io.modelcontextprotocol/related-task';

/** Clients that declare the revision with tasks. */
const REVISION = { 'mcp-protocol-version': '2025-11-25', accept: 'application/json, text/event-stream' };

/** Two replicas with the official client at each, of one principal `ann`, and tasks of an operation that asks once. */
export class TaskFixture {
  readonly baton: InProcessDeployment;
  readonly key: string;
  readonly clients: readonly [Client, Client];
  readonly redis: Redis;
  private lastId = 0;

  private constructor(baton: InProcessDeployment, key: string, clients: readonly [Client, Client]) {
    this.baton = baton;
    this.key = key;
    this.clients = clients;
    this.redis = new Redis(baton.redisUrl.replace('unix://', ''));
  }

  static async start(options: DeploymentOptions = {}): Promise<TaskFixture> {
    const baton = await InProcessDeployment.start({ gateways: 2, workers: 1, ...options });
    const key = await baton.createKey({ scopes: ['mcp'], principal: 'ann' });
    const connect = (at: number) => connectMcpClient(baton.url(at), key);
    return new TaskFixture(baton, key, [await connect(0), await connect(1)]);
  }

  async stop(): Promise<void> {
    this.redis.disconnect();
    await Promise.all(this.clients.map((client) => client.close()));
    await this.baton.stop();
  }

  /** One JSON-RPC request at a replica, without the SDK. */
  rpc(method: string, params: object = {}, { at = 0, key = this.key, headers = {} } = {}) {
    const body = { jsonrpc: '2.0', id: ++this.lastId, method, params };
    return postJsonRpc(this.baton.url(at), key, body, { ...REVISION, ...headers });
  }

  /** The result of a request that succeeds. */
  async result(method: string, params: object = {}, where = {}): Promise<AnyJson> {
    const { body, status } = await this.rpc(method, params, where);
    if (body?.result === undefined) throw new Error(`${method}: ${status} ${JSON.stringify(body)}`);
    return body.result;
  }

  /** The JSON-RPC error of a request that fails. */
  async error(method: string, params: object = {}, where = {}): Promise<AnyJson> {
    const { body } = await this.rpc(method, params, where);
    if (body?.error === undefined) throw new Error(`${method} did not fail: ${JSON.stringify(body)}`);
    return body.error;
  }

  /** A task that waits for an LLM, started by a plain call. */
  async echo(text: string, at = 0): Promise<{ taskId: string; interactionId: string }> {
    return callTool(this.clients[at]!, 'bench_echo', { text });
  }

  /** Answers a request, and waits until that was consumed. */
  async answer(interactionId: string, value: string, { at = 0, waitMs = 10_000 } = {}): Promise<AnyJson> {
    const agentLLMResponse = successAnswer({ object: { value } });
    return callTool(this.clients[at]!, 'agent_llm', { interactionId, agentLLMResponse, waitMs });
  }

  /** The request that a task waits for, once it does. */
  async pendingOf(taskId: string): Promise<string> {
    const status = await callTool(this.clients[0], 'task_status', { taskId, waitMs: 10_000 });
    return status.pending.interactionId;
  }

  /** The task of a workflow whose step is left to its client. */
  async workflowTask(at = 0): Promise<string> {
    const { key } = this;
    await this.putWorkflow();
    const { _meta } = await this.result('prompts/get', { name: 'ask' }, { at, key });
    return _meta.task_id;
  }

  /** The keys of a task's record in Redis. */
  async waitersOf(taskId: string): Promise<string> {
    return (await this.redis.hget(this.baton.store.tenant('acme').keys.task(taskId), 'w')) ?? '';
  }

  /** Until a call is held for a task at so many replicas. */
  async held(taskId: string, replicas = 1): Promise<void> {
    await vi.waitFor(
      async () => {
        const waiters = (await this.waitersOf(taskId)).split(' ').filter(Boolean);
        if (waiters.length < replicas) throw new Error(`${waiters.length} replicas wait for ${taskId}`);
      },
      { timeout: 10_000, interval: 5 },
    );
  }

  private async putWorkflow(): Promise<void> {
    const admin = await this.baton.createKey({ scopes: ['admin', 'mcp'] });
    const steps = [{ name: 'echo', tool: 'bench_echo', arguments: { text: 'x' } }];
    const response = await fetch(`${this.baton.url()}/v1/workflows/ask`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'ask', description: 'ask', steps }),
    });
    if (!response.ok) throw new Error(await response.text());
  }
}
