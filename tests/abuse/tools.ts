import type { Loose } from '../harness/client.ts';
import type { McpJudge } from './judge.ts';
import { mcpRequest, type Observed, type Stage, type Way } from './stage.ts';
import { exchange, messagesOf } from './wire.ts';

export async function listTools(way: Way): Promise<Loose[]> {
  const reply = await exchange(way.url, mcpRequest(way.keys.mcp, 'tools/list', {}), 10_000);
  return messagesOf(reply)?.[0]?.result?.tools ?? [];
}

/**
 * What stands in Redis for calls to meet. Inputs name it by placeholders, so that one input means the same on both
 * ways, though each has ids of its own.
 */
export class Standing {
  /** By the names of fields; what `fitting` takes. */
  readonly live = {
    interactionId: ['@interaction:0', '@interaction:1', '@interaction:2'],
    taskId: ['@task:0', '@task:1', '@task:2'],
    projectRoot: ['demo', 'empty'],
    tag: ['master', 'side'],
    id: ['1', '2', '1.1', '1,2'],
  };
  private readonly stage: Stage;
  private readonly ids = new Map<string, string>();

  constructor(stage: Stage) {
    this.stage = stage;
  }

  /** Parks calls of each kind anew and puts the projects back, on both ways. */
  async renew(): Promise<void> {
    const messages = [{ role: 'user', content: 'x' }];
    const details = (serviceType: string, more: object = {}) => ({
      delegatedCallDetails: { originalCommand: 'x', serviceType, requestParameters: { messages, ...more } },
    });
    const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] };
    for (const way of this.stage.ways) {
      for (const projectRoot of ['demo', 'empty']) {
        const tasks = [1, 2].map((id) => ({
          id,
          title: `T${id}`,
          description: 'd',
          subtasks: [{ id: 1, title: 'S' }],
        }));
        const file = { master: { tasks: projectRoot === 'demo' ? tasks : [] }, side: { tasks: [] } };
        await exchange(
          way.url,
          {
            method: 'PUT',
            path: `/v1/projects/${projectRoot}`,
            headers: [
              ['authorization', `Bearer ${way.keys.admin}`],
              ['content-type', 'application/json'],
            ],
            body: JSON.stringify(file),
          },
          10_000,
        );
      }
      const asked = [
        await this.stage.call(way, 'parse_prd', { prd: 'A shop', projectRoot: 'demo', append: true }),
        await this.stage.call(way, 'agent_llm', details('generateObject', { schema })),
        await this.stage.call(way, 'agent_llm', details('streamText')),
      ];
      for (const [index, { interactionId, taskId }] of asked.entries()) {
        this.ids.set(`${way.name} @interaction:${index}`, interactionId);
        this.ids.set(`${way.name} @task:${index}`, taskId);
      }
    }
  }

  /** The input with the ids of one way. */
  resolve(way: Way, input: unknown): unknown {
    if (typeof input === 'string') return this.ids.get(`${way.name} ${input}`) ?? input;
    if (Array.isArray(input)) return input.map((inner) => this.resolve(way, inner));
    if (typeof input !== 'object' || input === null) return input;
    return Object.fromEntries(Object.entries(input).map(([key, inner]) => [key, this.resolve(way, inner)]));
  }
}

/** How long a call of a tool may wait because it says so. */
export function waitOf(tool: Loose, args: Loose): number {
  const wait = tool?.inputSchema?.properties?.waitMs;
  if (wait === undefined) return 0;
  const asked = args?.waitMs ?? wait.default;
  const given = typeof asked === 'object' ? 0 : Number(asked);
  return given >= 0 && given <= 25_000 ? given : 0;
}

/** Calls a tool on a way, and gives what was wrong with what came of it. */
export async function callTool(
  stage: Stage,
  judge: McpJudge,
  way: Way,
  tool: Loose,
  args: unknown,
): Promise<Observed> {
  const params = { name: tool.name, arguments: args };
  const request = mcpRequest(way.keys.mcp, 'tools/call', params, 7);
  const { reply, faults } = await stage.send(way, request, waitOf(tool, args));
  const sent = { id: 7, method: 'tools/call', params };
  const told = stage.secrets.toldBy(reply).map((secret) => `it tells ${secret}`);
  return {
    reply,
    faults: [...faults, ...judge.faults(reply, sent), ...told].map((fault) => `${way.name}: ${fault}`),
  };
}
