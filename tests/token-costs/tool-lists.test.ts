import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { readOpenApiDocument } from '../openapi/openapi-document.ts';
import { type AnyJson, postJsonRpc } from '../harness/mcp-client.ts';
import { countTokens } from './token-count.ts';

/** What `tools/list` costs: as hosts put it into the context of a model (name, description, input schema), and whole. */
let baton: InProcessDeployment;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 1, workers: 0 });
});
afterAll(() => baton?.stop());

async function listed(tools: string): Promise<AnyJson[]> {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const reply = await postJsonRpc(baton.url(), baton.apiKey, body, { 'baton-tools': tools });
  // Those of tests are not the product's.
  return reply.body.result.tools.filter(({ name }: AnyJson) => !name.startsWith('bench_'));
}
const asHostsPassIt = (tools: AnyJson[]) =>
  tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));

test.each([
  ['core', 3_000, 6_000],
  ['standard', 5_500, 11_500],
  ['all', 12_500, 26_000],
])(
  '%s costs less than %i tokens as hosts pass it on, and less than %i whole',
  async (tier, most, mostWhole) => {
    const tools = await listed(tier);
    expect(countTokens(asHostsPassIt(tools))).toBeLessThan(most);
    expect(countTokens(tools)).toBeLessThan(mostWhole);
  },
);

test('a host that passes no output schemas on is listed none, and standard costs it less than 9,000 tokens whole', async () => {
  const client = new Client({ name: 'cursor-vscode', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${baton.apiKey}` } };
  const endpoint = new URL(`${baton.url()}/mcp?tools=standard`);
  await client.connect(new StreamableHTTPClientTransport(endpoint, { requestInit }) as never);
  const { tools } = await client.listTools();
  await client.close();
  expect(tools.length).toBeGreaterThan(10);
  expect(tools.filter(({ outputSchema }) => outputSchema !== undefined)).toEqual([]);
  expect(countTokens(tools)).toBeLessThan(9_000);
});

test('every argument of every tool is listed with its type or its forms, and what the tool requires', async () => {
  const { paths } = await readOpenApiDocument(baton.url());
  for (const { name, inputSchema } of await listed('all')) {
    const whole = paths[`/v1/tools/${name}`].post.requestBody?.content['application/json'].schema;
    expect([name, Object.keys(inputSchema.properties ?? {})]).toEqual([
      name,
      Object.keys(whole?.properties ?? {}),
    ]);
    expect([name, inputSchema.required]).toEqual([name, whole?.required]);
    const unknown = Object.entries<AnyJson>(inputSchema.properties ?? {}).filter(
      ([, { type, oneOf, anyOf, enum: values, ...more }]) =>
        (type ?? oneOf ?? anyOf ?? values) === undefined && more.description === undefined,
    );
    expect([name, unknown]).toEqual([name, []]);
  }
});
