import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { type AnyJson, callTool, connectMcpClient } from '../harness/mcp-client.ts';
import { type DeploymentOptions, InProcessDeployment } from '../harness/in-process-deployment.ts';

/** Two replicas with a client at each, of one principal, and an admin's key for REST. */
export class WorkflowFixture {
  readonly baton: InProcessDeployment;
  readonly clients: readonly [Client, Client];
  readonly key: string;
  private readonly adminKey: string;

  private constructor(
    baton: InProcessDeployment,
    keys: readonly [string, string],
    clients: readonly [Client, Client],
  ) {
    this.baton = baton;
    [this.key, this.adminKey] = keys;
    this.clients = clients;
  }

  static async start(options: DeploymentOptions = {}): Promise<WorkflowFixture> {
    const baton = await InProcessDeployment.start({ gateways: 2, workers: 1, ...options });
    const key = await baton.createKey({ scopes: ['mcp'], principal: 'ann' });
    const admin = await baton.createKey({ scopes: ['admin', 'mcp'], principal: 'admin' });
    const connect = (at: number) => connectMcpClient(baton.url(at), key);
    return new WorkflowFixture(baton, [key, admin], [await connect(0), await connect(1)]);
  }

  /** A REST call at a replica. */
  async rest(
    method: string,
    path: string,
    body?: unknown,
    { at = 0, key = this.adminKey, type = 'application/json' } = {},
  ) {
    const response = await fetch(`${this.baton.url(at)}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': type }) },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const reply: AnyJson = await response.json();
    return { status: response.status, body: reply };
  }

  /** Stores a workflow. Errors: when it is refused. */
  async put(name: string, steps: readonly object[], more: object = {}): Promise<AnyJson> {
    const definition = { name, description: `do ${name}`, ...more, steps };
    const { status, body } = await this.rest('PUT', `/workflows/${name}`, definition);
    if (status !== 200) throw new Error(`${name} was refused: ${JSON.stringify(body)}`);
    return body;
  }

  /** Runs a workflow at a replica: its messages as text, its task and its status. */
  async run(name: string, args: Record<string, string> = {}, { at = 0, idempotencyKey = '' } = {}) {
    const meta = idempotencyKey === '' ? {} : { _meta: { 'baton/idempotencyKey': idempotencyKey } };
    const reply: AnyJson = await this.clients[at]!.getPrompt({ name, arguments: args, ...meta });
    const texts: string[] = reply.messages.map(({ role, content }: AnyJson) =>
      content.type === 'text' ? `${role}: ${content.text}` : `${role}: [${content.resource.uri}]`,
    );
    const { task_id: taskId, task_status: status, ...others } = reply._meta;
    return {
      texts,
      last: texts.at(-1) ?? '',
      taskId: taskId as string,
      status: status as string,
      others,
      meta: reply._meta,
    };
  }

  /** A tool's call for a workflow's task: its structured content, and what became of it there. */
  async continue(
    taskId: unknown,
    tool: string,
    args: object,
    options: { at?: number; client?: Client } = {},
  ) {
    const client = options.client ?? this.clients[options.at ?? 0]!;
    const reply: AnyJson = await client.callTool({
      name: tool,
      arguments: args as Record<string, unknown>,
      _meta: { _task_id: taskId },
    });
    return {
      structured: reply.structuredContent as AnyJson,
      isError: reply.isError === true,
      continuation: reply._meta?.['baton/continuation'] as AnyJson,
    };
  }

  /** How a workflow's task stands, as a replica tells it. */
  async status(taskId: string, at = 0): Promise<AnyJson> {
    return callTool(this.clients[at]!, 'task_status', { taskId });
  }

  async stop(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.close()));
    await this.baton.stop();
  }
}
