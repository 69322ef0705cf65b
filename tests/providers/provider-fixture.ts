import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { FakeLlmServer } from '../fake-llm/llm-server.ts';
import { type DeploymentOptions, InProcessDeployment } from '../harness/in-process-deployment.ts';
import { type AnyJson, connectMcpClient } from '../harness/mcp-client.ts';

/** Networks of the tests' own endpoints. */
export const LOOPBACK = ['127.0.0.0/8'];

export const API_KEY = 'sk-endpoint-key-that-nobody-may-see';

/** A deployment whose role `main` asks a fake LLM endpoint. */
export class ProviderFixture {
  readonly baton: InProcessDeployment;
  readonly llm: FakeLlmServer;
  readonly client: Client;
  readonly adminKey: string;

  private constructor(baton: InProcessDeployment, llm: FakeLlmServer, client: Client, adminKey: string) {
    this.baton = baton;
    this.llm = llm;
    this.client = client;
    this.adminKey = adminKey;
  }

  static async start(options: DeploymentOptions = {}): Promise<ProviderFixture> {
    const baton = await InProcessDeployment.start({ gateways: 1, egressAllow: LOOPBACK, ...options });
    const llm = await FakeLlmServer.start();
    const client = await connectMcpClient(baton.url(), baton.apiKey);
    return new ProviderFixture(baton, llm, client, await baton.createKey({ scopes: ['admin'] }));
  }

  async stop(): Promise<void> {
    await this.client.close();
    await this.llm.close();
    await this.baton.stop();
  }

  /** The route to the fake endpoint, or to another. */
  route(more: object = {}): object {
    return { kind: 'openai', baseUrl: this.llm.url, modelId: 'served-model', apiKey: API_KEY, ...more };
  }

  async putRole(role: string, definition: object, key = this.adminKey): Promise<AnyJson> {
    const reply = await this.rest('PUT', `/roles/${role}`, definition, key);
    // Other processes, and other objects of this one, go by what they read up to a second ago.
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    return reply;
  }

  async rest(method: string, path: string, body?: object, key = this.adminKey): Promise<AnyJson> {
    const response = await fetch(`${this.baton.url()}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  }

  /** A tool's reply: its structured content, an error as `{ error }`. */
  async call(name: string, args: object, client = this.client): Promise<AnyJson> {
    const result = await client.callTool({ name, arguments: args as Record<string, unknown> });
    return result.structuredContent;
  }
}
