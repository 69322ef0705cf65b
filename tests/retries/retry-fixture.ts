import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { RestTestClient } from '../../apps/gateway/src/rest/testing/test-replicas.ts';
import { type DeploymentOptions, InProcessDeployment } from '../harness/in-process-deployment.ts';
import {
  type AnyJson,
  callTool,
  callToolForError,
  connectMcpClient,
  successAnswer,
} from '../harness/mcp-client.ts';
import { waitUntilOrThrow } from '../harness/poll.ts';

export const FATAL = { status: 'error', errorDetails: { message: 'no such model', type: 'not_found_error' } };

/** Two gateways and a worker, with a client at each gateway, and REST with a key of scope `admin`. */
export class RetryFixture {
  readonly baton: InProcessDeployment;
  readonly clients: readonly [Client, Client];
  readonly admin: string;

  private constructor(baton: InProcessDeployment, clients: readonly [Client, Client], admin: string) {
    this.baton = baton;
    this.clients = clients;
    this.admin = admin;
  }

  static async start(options: DeploymentOptions = {}): Promise<RetryFixture> {
    const baton = await InProcessDeployment.start(options);
    const [one, other] = await Promise.all([0, 1].map((at) => connectMcpClient(baton.url(at), baton.apiKey)));
    const admin = await baton.createKey({ scopes: ['admin', 'agent'], principal: 'root' });
    return new RetryFixture(baton, [one!, other!], admin);
  }

  call(name: string, args: object, at = 0, meta?: object): Promise<AnyJson> {
    return callTool(this.clients[at]!, name, args, meta);
  }

  error(name: string, args: object, at = 0): Promise<AnyJson> {
    return callToolForError(this.clients[at]!, name, args);
  }

  /** Answers and waits; the outcome. */
  async answer(interactionId: string, response: object): Promise<AnyJson> {
    const args = { interactionId, agentLLMResponse: response, waitMs: 20_000 };
    return (await this.call('agent_llm', args)).outcome;
  }

  value(interactionId: string, value: unknown): Promise<AnyJson> {
    return this.answer(interactionId, successAnswer({ object: { value } }));
  }

  retry(taskId: string, at = 0): Promise<AnyJson> {
    return this.call('retry_task', { taskId, waitMs: 20_000 }, at);
  }

  rest(method: 'GET' | 'POST' | 'PUT', path: string, json?: unknown, token = this.admin) {
    return new RestTestClient(this.baton.url(1)).send(method, path, {
      token,
      ...(json === undefined ? {} : { json }),
    });
  }

  /** A task of one request that the agent's LLM refused for good. */
  async failed(text = 'x'): Promise<string> {
    const { taskId, interactionId, error } = await this.call('bench_echo', { text });
    if (error !== undefined) throw new Error(JSON.stringify(error));
    const { status } = await this.answer(interactionId, FATAL);
    if (status !== 'failed') throw new Error(`it is ${status}`);
    return taskId;
  }

  async until(taskId: string, status: string): Promise<AnyJson> {
    let found: AnyJson;
    await waitUntilOrThrow(`task ${taskId} is ${status}`, 15_000, async () => {
      found = await this.call('task_status', { taskId });
      return found.status === status;
    });
    return found;
  }
}
