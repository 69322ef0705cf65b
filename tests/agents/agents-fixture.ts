import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { JsonObject } from '@baton/protocol';
import type { Identity } from '@baton/store';
import { type DeploymentOptions, InProcessDeployment } from '../harness/in-process-deployment.ts';
import { type AnyJson, callTool, connectMcpClient } from '../harness/mcp-client.ts';

const ADMIN: Identity = { principal: 'operator', scopes: new Set(['admin', 'agent']) };

/** A primary and two specialists. */
export const TEAM = [
  { id: 'assistant', name: 'Assistant', instructions: 'You help.', personality: 'Calm.', isPrimary: true },
  {
    id: 'web_search',
    name: 'Web search',
    instructions: 'You search the web.',
    description: 'Search the web for current information',
    model: 'search-model',
    webSearchEnabled: true,
    parameters: {
      type: 'object',
      properties: { query: { type: 'string', description: 'The search query' } },
      required: ['query'],
    },
  },
  { id: 'coder', name: 'Coder', instructions: 'You write code.' },
];

/** Two replicas and two workers, with a client on each replica of the same principal. */
export class AgentsFixture {
  readonly baton: InProcessDeployment;
  readonly clients: readonly Client[];
  private adminKey: Promise<string> | undefined;

  private constructor(baton: InProcessDeployment, clients: readonly Client[]) {
    this.baton = baton;
    this.clients = clients;
  }

  static async start(
    options: DeploymentOptions = {},
    agents: readonly object[] = TEAM,
  ): Promise<AgentsFixture> {
    const baton = await InProcessDeployment.start({ gateways: 2, workers: 2, ...options });
    const clients = await Promise.all([0, 1].map((at) => connectMcpClient(baton.url(at), baton.apiKey)));
    const fixture = new AgentsFixture(baton, clients);
    for (const agent of agents) await fixture.putAgent(agent);
    return fixture;
  }

  get tenant() {
    return this.baton.store.tenant('acme');
  }

  async putAgent(agent: object): Promise<void> {
    const { enabled = true, isPrimary, ...definition } = agent as AnyJson;
    const { instructions: _i, personality: _p, webSearchEnabled: _w, ...summary } = definition;
    await this.tenant.agents.put(ADMIN, definition.id, {
      definition: { webSearchEnabled: false, ...definition } as JsonObject,
      summary: summary as JsonObject,
      enabled,
      ...(isPrimary === true ? { primary: true } : {}),
    });
  }

  async deleteAgent(id: string): Promise<void> {
    await this.tenant.agents.delete(ADMIN, id);
  }

  /** Stores a prompt over REST, as an administrator does. */
  async putPrompt(name: string, more: object): Promise<void> {
    await this.requestPrompt(name, { method: 'PUT', body: JSON.stringify({ name, ...more }) });
  }

  /** A prompt as it is shown over REST. */
  async getPrompt(name: string): Promise<AnyJson> {
    return (await this.requestPrompt(name)).json();
  }

  private async requestPrompt(name: string, init: RequestInit = {}): Promise<Response> {
    this.adminKey ??= this.baton.createKey({ scopes: ['admin', 'mcp'], principal: 'admin' });
    const headers = { authorization: `Bearer ${await this.adminKey}`, 'content-type': 'application/json' };
    const reply = await fetch(`${this.baton.url(0)}/v1/prompts/${name}`, { ...init, headers });
    if (reply.status !== 200) throw new Error(await reply.text());
    return reply;
  }

  /** A call on a replica. */
  call(name: string, args: object, replica = 0, meta?: object): Promise<AnyJson> {
    return callTool(this.clients[replica]!, name, args, meta);
  }

  ask(message: string, conversationId?: string, replica = 0): Promise<AnyJson> {
    return this.call('ask_assistant', { message, ...(conversationId ? { conversationId } : {}) }, replica);
  }

  /** Answers an interaction; returns its outcome. */
  async answer(interactionId: string, data: unknown, replica = 1): Promise<AnyJson> {
    const agentLLMResponse = { status: 'success', data };
    return (
      await this.call('agent_llm', { interactionId, agentLLMResponse, waitMs: 20_000, repeat: true }, replica)
    ).outcome;
  }

  /** The whole requests of a task that wait. */
  async pendingOf(taskId: string): Promise<AnyJson[]> {
    const { interactions } = await this.call('pending_interactions', {});
    const own = interactions.filter((one: AnyJson) => one.taskId === taskId);
    const whole = own.map(({ interactionId }: AnyJson) =>
      this.call('pending_interactions', { interactionId }),
    );
    return (await Promise.all(whole)).map((shown) => shown.interactions[0]);
  }

  /** Waits until a task asks for something else. */
  async waitForOther(taskId: string, interactionId: string): Promise<AnyJson> {
    for (;;) {
      const status = await this.call('task_status', { taskId, waitMs: 5_000 });
      if (status.pending?.interactionId !== interactionId && status.status !== 'working') return status;
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.close()));
    await this.baton.stop();
  }
}

/** An answer that calls functions. */
export function calling(...calls: readonly { id?: string; name: string; arguments: unknown }[]) {
  return { toolCalls: calls.map((call, at) => ({ id: `call_${at + 1}`, ...call })) };
}
