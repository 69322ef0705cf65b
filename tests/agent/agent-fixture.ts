import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  type AgentEvent,
  type RunningAgent,
  answerInteractions,
  type AnswerInteractionsOptions,
  answerWith,
  createModelFactory,
} from '@baton/agent';
import type { EndpointKind } from '@baton/protocol';
import { Redis } from 'ioredis';
import { callTool, connectMcpClient, type AnyJson } from '../harness/mcp-client.ts';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { FakeLlmServer } from '../fake-llm/llm-server.ts';

// The AI SDK would warn about the unknown model names of the tests.
globalThis.AI_SDK_LOG_WARNINGS = false;

const AGENT_IDENTITY = { principal: '', scopes: new Set(['agent'] as const) };

/** A deployment, a fake LLM and a client that delegates, for tests of agents that answer. */
export class AgentFixture {
  readonly baton: InProcessDeployment;
  readonly llm: FakeLlmServer;
  readonly client: Client;
  /** A key with scope `agent`. */
  readonly key: string;
  private readonly agents: RunningAgent[] = [];

  private constructor(baton: InProcessDeployment, llm: FakeLlmServer, caller: Client, key: string) {
    this.baton = baton;
    this.llm = llm;
    this.client = caller;
    this.key = key;
  }

  static async start(): Promise<AgentFixture> {
    const baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
    const caller = await connectMcpClient(baton.url(0), baton.apiKey);
    return new AgentFixture(
      baton,
      await FakeLlmServer.start(),
      caller,
      await baton.createKey({ scopes: ['agent'] }),
    );
  }

  async stop(): Promise<void> {
    await this.client.close();
    await this.llm.close();
    await this.baton.stop();
  }

  /** The MCP endpoint of one replica. */
  mcpUrl(gateway = 0): string {
    return `${this.baton.url(gateway)}/mcp`;
  }

  /** Parks one request whose prompt is `topic`; returns its directive. */
  async parkEcho(topic: string): Promise<AnyJson> {
    return callTool(this.client, 'bench_echo', { text: topic });
  }

  /** Parks a request that the client writes itself. */
  async delegate(serviceType: string, requestParameters: object): Promise<AnyJson> {
    const details = { originalCommand: 'tests', role: 'research', serviceType, requestParameters };
    return callTool(this.client, 'agent_llm', { delegatedCallDetails: details });
  }

  /** The status of a task once it no longer works. */
  async waitForOutcome(taskId: string): Promise<AnyJson> {
    return callTool(this.client, 'task_status', { taskId, waitMs: 25_000 });
  }

  /** Waits until a task has ended, however many requests it makes. */
  async waitForEnd(taskId: string): Promise<void> {
    const { store } = this.baton;
    const listener = store.inbox.subscribe(
      store.tenant('acme').interactions.topicOf(`${taskId.slice(0, 32)}0001`),
    );
    try {
      for (;;) {
        const view = await store.tenant('acme').tasks.read(AGENT_IDENTITY, taskId, store.inbox.channel);
        if (view.status !== 'working' && view.status !== 'input_required') return;
        await listener.next(1_000);
      }
    } finally {
      listener.close();
    }
  }

  /** When the leases of what is claimed now end, by Redis's clock. */
  async leaseEnds(): Promise<number[]> {
    const redis = new Redis(this.baton.redisUrl.replace('unix://', ''));
    const claims = await redis.zrange(this.baton.store.tenant('acme').keys.claims, '0', '-1', 'WITHSCORES');
    redis.disconnect();
    return claims.filter((_, at) => at % 2 === 1).map(Number);
  }

  /** Cancels a task, so that its requests are not offered to the next test's agents. */
  async cancelTask(taskId: string): Promise<void> {
    await callTool(this.client, 'cancel_task', { taskId });
  }

  /** All interactions of a task, as they are stored. */
  async listInteractions(taskId: string): Promise<readonly AnyJson[]> {
    return (await this.inspectTask(taskId)).interactions;
  }

  /** A task with its journal, as it is stored. */
  async inspectTask(taskId: string): Promise<AnyJson> {
    const { queries } = this.baton.store.tenant('acme');
    return queries.inspect(AGENT_IDENTITY, taskId);
  }

  /** Starts an agent in this process and records its events. */
  startAgent(options: Partial<AnswerInteractionsOptions> & { provider?: EndpointKind } = {}): ObservedAgent {
    const { provider = 'openai', ...given } = options;
    const llm = createModelFactory({ provider, endpoint: this.llm.url, apiKey: 'key-of-the-llm' });
    const events: AgentEvent[] = [];
    const waiting = new Set<() => void>();
    const answering = answerInteractions({
      url: this.mcpUrl(),
      key: this.key,
      answer: answerWith(({ request }) => llm(request.modelId ?? 'any')),
      onEvent(event) {
        events.push(event);
        for (const wake of waiting) wake();
      },
      ...given,
    });
    this.agents.push(answering);
    return {
      ...answering,
      events,
      async waitFor(holds) {
        for (;;) {
          const found = events.find(holds);
          if (found !== undefined) return found;
          await new Promise<void>((resolve) => waiting.add(resolve));
        }
      },
    };
  }

  /** Stops agents that a failed test left running; they would answer the next test's requests. */
  async stopAgents(): Promise<void> {
    await Promise.allSettled(this.agents.splice(0).map((agent) => agent.stop(0)));
  }

  /** Runs one agent until nothing is pending; returns its events. */
  async answerAll(options: Parameters<AgentFixture['startAgent']>[0] = {}): Promise<AgentEvent[]> {
    const { done, events } = this.startAgent({ once: true, ...options });
    await done;
    return events;
  }
}

interface ObservedAgent extends RunningAgent {
  readonly events: AgentEvent[];
  /** Waits for the first event that matches, past or future. */
  waitFor(holds: (event: AgentEvent) => boolean): Promise<AgentEvent>;
}

/** Matches events of a kind, about the request with this topic if one is given. */
export function eventMatcher(kind: AgentEvent['kind'], topic = ''): (event: AgentEvent) => boolean {
  return (event) =>
    event.kind === kind &&
    (topic === '' || ('request' in event && JSON.stringify(event.request.request.messages).includes(topic)));
}

/** The kinds of events, in order. */
export function eventKinds(events: readonly AgentEvent[]): string[] {
  return events.map(({ kind }) => kind);
}
