import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { callTool, connectMcpClient, successAnswer } from '../harness/mcp-client.ts';
import { createTemporaryFolder } from '../processes/temporary-folder.ts';
import { runBaton } from './run-baton.ts';

/** `baton usage` and `baton prices` as typed, by the built command. */
const folder = createTemporaryFolder('usage');
let deployment: InProcessDeployment;
let environment: Record<string, string>;

beforeAll(async () => {
  deployment = await InProcessDeployment.start({ gateways: 1, workers: 1 });
  const key = await deployment.createKey({ scopes: ['admin', 'mcp', 'agent'] });
  environment = { BATON_URL: deployment.url(), BATON_API_KEY: key };
  const client = await connectMcpClient(deployment.url(), key);
  for (const [model, inputTokens] of [
    ['swift', 1_000],
    ['swift', 2_000],
    ['=odd\u001b[2J', 4],
  ] as const) {
    const { interactionId } = await callTool(client, 'bench_echo', { text: 'x' });
    const data = { value: 'x', model, usage: { inputTokens, outputTokens: 10 } };
    await callTool(client, 'agent_llm', { interactionId, agentLLMResponse: successAnswer(data) });
  }
  await client.close();
});
afterAll(() => deployment?.stop());

const baton = (...args: readonly string[]) => runBaton(args, { cwd: folder, environment });
const cellsOf = (said: string) =>
  said
    .trimEnd()
    .split('\n')
    .slice(2)
    .map((line) => line.split(/ {2,}/));

test('a report is a table with its total, and nothing in it moves the cursor of a terminal', async () => {
  const { code, said, complaints } = await baton('usage', '--by', 'model');
  expect([code, complaints]).toEqual([0, '']);
  expect(said).not.toContain('\u001b');
  expect(said.split('\n')[0]).toMatch(/^Usage from \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d, by model$/);
  expect(cellsOf(said).map((cells) => cells.slice(0, 5))).toEqual([
    ['model', 'calls', 'failed', 'tokens in', 'tokens out'],
    ['swift', '2', '0', '3000', '20'],
    ['=odd [2J', '1', '0', '4', '10'],
    ['total', '3', '0', '3004', '30'],
  ]);
  expect((await baton('usage', '--from', '2020-01-01', '--to', '2020-01-31')).said).toBe(
    'Usage from 2020-01-01 to 2020-01-31, by day: no calls.\n',
  );
  for (const [flag, day] of [
    ['--from', 'yesterday'],
    ['--to', '2026-02-30'],
  ] as const)
    expect(await baton('usage', flag, day)).toMatchObject({
      code: 64,
      complaints: `baton: ${flag} ${day}: must be a day (UTC), such as 2026-07-28\n`,
    });
  for (const by of ['day', 'agent', 'operation'])
    expect(
      cellsOf((await baton('usage', '--by', by)).said)
        .at(-1)
        ?.slice(0, 4),
    ).toEqual(['total', '3', '0', '3004']);
});

test('prices are set from a file, shown, and a report has costs by them', async () => {
  expect((await baton('prices', 'show')).said).toBe('No model has a price.\n');
  writeFileSync(join(folder, 'prices.yaml'), 'currency: EUR\nmodels:\n  swift: { input: 2, output: 8 }\n');
  const shown = 'model  EUR per million in  out\nswift  2                   8\n';
  expect(await baton('prices', 'set', 'prices.yaml')).toEqual({ code: 0, said: shown, complaints: '' });
  expect((await baton('prices', 'show')).said).toBe(shown);
  const [header, swift, odd] = cellsOf((await baton('usage', '--by', 'model')).said);
  expect(header?.slice(6)).toEqual(['cost (EUR)', 'unpriced']);
  expect([swift?.slice(6), odd?.slice(6)]).toEqual([
    ['0.006160', '0'],
    ['0.000000', '1'],
  ]);
});

test('as JSON and as CSV a report is what REST gives, and never both', async () => {
  const rest = async (format: string) => {
    const headers = { authorization: `Bearer ${environment['BATON_API_KEY']}` };
    return (await fetch(`${deployment.url()}/v1/usage?by=model&format=${format}`, { headers })).text();
  };
  const asJson = await baton('usage', '--by', 'model', '--json');
  expect(JSON.parse(asJson.said)).toEqual(JSON.parse(await rest('json')));
  expect((await baton('usage', '--by', 'model', '--csv')).said).toBe(await rest('csv'));
  expect(await baton('usage', '--json', '--csv')).toMatchObject({
    code: 78,
    complaints: expect.stringContaining('--json and --csv'),
  });
});

test('what is refused is told by its flag or its field, and prices stay as they were', async () => {
  for (const format of ['--json', '--csv'])
    expect(await baton('usage', '--by', 'colour', format)).toMatchObject({
      code: 64,
      said: '',
      complaints: expect.stringContaining("'--by <name>' argument 'colour' is invalid"),
    });
  writeFileSync(join(folder, 'bad.json'), '{"currency":"EUR","models":{"swift":{"input":-1,"output":8}}}');
  expect(await baton('prices', 'set', 'bad.json')).toMatchObject({
    code: 1,
    complaints: expect.stringContaining('models.swift.input'),
  });
  expect((await baton('prices', 'set', 'missing.json')).code).toBe(78);
  expect((await baton('prices', 'show')).said).toContain('swift  2 ');
});
