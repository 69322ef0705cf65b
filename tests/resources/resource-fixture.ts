import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  successAnswer,
  callTool,
  connectMcpClient,
  type AnyJson,
  postJsonRpc,
} from '../harness/mcp-client.ts';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';

/** A project key that survives only when all of its characters are percent-encoded. */
export const PROJECT = 'C:\\Häuser & Gärten/100%?tag=#1';
export const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

/** The URI of a resource of the project. */
export const projectUri = (path: string) => `baton://projects/${encodeURIComponent(PROJECT)}/${path}`;

/** A project with every kind of resource, one completed task and one parked; clients of its owner, an agent and another principal. */
export class ResourceFixture {
  readonly baton: InProcessDeployment;
  readonly client: Client;
  readonly agent: Client;
  readonly otherPrincipal: Client;
  /** The results of the calls that made the two tasks. */
  completedCall: AnyJson;
  parkedCall: AnyJson;

  private constructor(
    baton: InProcessDeployment,
    [client, agent, stranger]: readonly [Client, Client, Client],
  ) {
    this.baton = baton;
    this.client = client;
    this.agent = agent;
    this.otherPrincipal = stranger;
  }

  static async start(): Promise<ResourceFixture> {
    const baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
    const fixture = new ResourceFixture(baton, [
      await connectMcpClient(baton.url(), baton.apiKey),
      await connectMcpClient(baton.url(1), await baton.createKey({ scopes: ['agent'] })),
      await connectMcpClient(baton.url(1), await baton.createKey({ scopes: ['mcp'] })),
    ]);
    await fixture.populate();
    return fixture;
  }

  /** POSTs one JSON-RPC request to the second replica. */
  rpc(method: string, params: object = {}, key = this.baton.apiKey) {
    const accept = { accept: 'application/json, text/event-stream' };
    return postJsonRpc(this.baton.url(1), key, { jsonrpc: '2.0', id: 1, method, params }, accept);
  }

  /** The only content of a resource. Errors: when it has none or several. */
  async read(uri: string, by = this.client): Promise<AnyJson> {
    const { contents } = await by.readResource({ uri });
    const [content, ...more] = contents;
    if (content?.uri !== uri || more.length > 0)
      throw new Error(`${uri} was read as ${JSON.stringify(contents)}`);
    return content;
  }

  async readJson(uri: string, by = this.client): Promise<AnyJson> {
    return JSON.parse((await this.read(uri, by)).text);
  }

  /** The error of resources/read. */
  async readError(uri: unknown, key?: string): Promise<AnyJson> {
    return (await this.rpc('resources/read', { uri }, key)).body.error;
  }

  /** All pages of resources/list. */
  async listResources(by: Client): Promise<AnyJson[]> {
    const found: AnyJson[] = [];
    let cursor: string | undefined;
    do {
      const page = await by.listResources(cursor === undefined ? {} : { cursor });
      found.push(...page.resources);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return found;
  }

  /** Ids of the tasks of `add_task`, newest first; their results do not name them. */
  async addedTasks(): Promise<string[]> {
    const everyone = { principal: '', scopes: new Set(['agent'] as const) };
    const { items } = await this.baton.store.tenant('acme').queries.tasks(everyone);
    return items.filter(({ operation }) => operation === 'add_task').map(({ taskId }) => taskId);
  }

  async stop(): Promise<void> {
    await Promise.all([this.client, this.agent, this.otherPrincipal].map((one) => one.close()));
    await this.baton.stop();
  }

  private async populate(): Promise<void> {
    const { client } = this;
    const files = [
      { name: 'docs/prd é.md', text: '# Gärten' },
      { name: 'plan.png', text: `data:image/png;base64,${PNG.toString('base64')}` },
      { name: 'broken.png', text: 'data:image/png;base64,not base64' },
    ];
    const rules = ['Water at dawn', '## Tools\n\nClean them.'];
    await callTool(client, 'initialize_project', { projectRoot: PROJECT, name: 'Gardens', rules });
    await callTool(client, 'connect_files', { projectRoot: PROJECT, files });
    for (const title of ['Dig', 'Plant']) {
      const task = { title, description: `${title}.`, details: 'With care.' };
      await callTool(client, 'add_task', { projectRoot: PROJECT, ...task });
    }
    await callTool(client, 'add_subtask', { projectRoot: PROJECT, id: 1, title: 'Find the spade' });
    const link = { type: 'resource_link', uri: 'https://example.org/spade', name: 'spade' };
    await callTool(client, 'attach_to_task', { projectRoot: PROJECT, id: '2', attachments: [link] });
    await callTool(client, 'add_tag', { projectRoot: PROJECT, name: 'winter' });
    const asked = await callTool(client, 'analyze_project_complexity', { projectRoot: PROJECT });
    const analyses = [1, 2].map((taskId) => ({
      taskId,
      taskTitle: 'x',
      complexityScore: 7,
      recommendedSubtasks: 4,
      expansionPrompt: 'Split it.',
      reasoning: 'Hard ground.',
    }));
    this.completedCall = await callTool(client, 'agent_llm', {
      interactionId: asked.interactionId,
      agentLLMResponse: successAnswer({ object: { complexityAnalysis: analyses } }),
    });
    this.parkedCall = await callTool(client, 'expand_task', { projectRoot: PROJECT, id: 1 });
  }
}
