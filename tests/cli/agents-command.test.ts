import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTemporaryFolder } from '../processes/temporary-folder.ts';
import { WorkflowFixture } from '../workflows/workflow-fixture.ts';
import { runBaton } from './run-baton.ts';

const folder = createTemporaryFolder('agents');
let fixture: WorkflowFixture;
let environment: Record<string, string>;

beforeAll(async () => {
  fixture = await WorkflowFixture.start();
  const key = await fixture.baton.createKey({ scopes: ['admin', 'mcp'], principal: 'admin' });
  environment = { BATON_URL: fixture.baton.url(), BATON_API_KEY: key };
});
afterAll(() => fixture?.stop());

const baton = (...args: readonly string[]) => runBaton(args, { cwd: folder, environment });

function write(path: string, content: object | string): void {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
}

const preset = (id: string, more: object) => ({ id, name: id, instructions: `You are ${id}.`, ...more });

test("a folder of Rustbot's files is applied, whatever their order; the primary is the one that says so", async () => {
  write(
    'presets/a_writer.json',
    preset('a_writer', { is_primary: false, enabled: false, personality: null }),
  );
  write(
    'presets/boss.json',
    preset('boss', { is_primary: true, model: 'vendor/m', mcp_config_file: 'x.json' }),
  );
  write('presets/secure.json', { name: 'secure-agent', provider: 'openrouter', systemPrompt: 'Help.' });
  expect(await baton('agents', 'apply', 'presets')).toEqual({
    code: 0,
    said:
      'a_writer is version 1 (presets/a_writer.json)\nboss is version 1 (presets/boss.json), without mcp_config_file\n' +
      'secure_agent is version 1 (presets/secure.json), without provider\n',
    complaints: '',
  });
  const { said } = await baton('agents', 'list');
  expect(
    said
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/\s+/).slice(0, 4)),
  ).toEqual([
    ['id', 'version', 'state', 'model'],
    ['a_writer', '1', 'disabled', '-'],
    ['boss', '1', 'primary', 'vendor/m'],
    ['secure_agent', '1', 'enabled', '-'],
  ]);
});

test('states are changed, refusals are told, and what is shown can be stored again', async () => {
  expect(await baton('agents', 'enable', 'a_writer')).toMatchObject({
    code: 0,
    said: 'a_writer is enabled.\n',
  });
  expect(await baton('agents', 'primary', 'a_writer')).toMatchObject({ said: 'a_writer is the primary.\n' });
  expect(await baton('agents', 'disable', 'a_writer')).toMatchObject({
    code: 1,
    complaints: expect.stringContaining("'a_writer' is the primary"),
  });
  const shown = await baton('agents', 'show', 'boss');
  mkdirSync(join(folder, 'shown'), { recursive: true });
  writeFileSync(join(folder, 'shown/boss.yaml'), shown.said);
  expect((await baton('agents', 'apply', 'shown')).said).toBe('boss is version 1 (shown/boss.yaml)\n');
  expect((await baton('agents', 'history', 'boss')).said).toContain('vendor/m');
  expect((await baton('agents', 'delete', 'boss')).said).toBe('boss is deleted.\n');
});

test('two files of one id are not stored over each other', async () => {
  write('twice/one.json', preset('twin', {}));
  write('twice/two.json', { name: 'Twin!', provider: 'x', instruction: 'Other.' });
  const { code, said, complaints } = await baton('agents', 'apply', 'twice');
  expect([code, said]).toEqual([1, 'twin is version 1 (twice/one.json)\n1 of 2 files were refused.\n']);
  expect(complaints).toContain('twice/two.json: id: is that of twice/one.json too');
});

test('a file that ends with .json is JSON, with the mark of Windows or without', async () => {
  write('json/flow.json', '{id: flow, name: Flow, instructions: x}');
  write('json/marked.json', `\uFEFF${JSON.stringify(preset('marked', {}))}`);
  const { said, complaints } = await baton('agents', 'apply', 'json');
  expect(said).toContain('marked is version 1 (json/marked.json)');
  expect(complaints).toContain('json/flow.json: is not JSON that Baton takes');
});

test('prompts are applied, listed, shown and deleted', async () => {
  write('prompts/why.json', { name: 'why', text: 'Why {thing}?', public: true, description: 'Asks why' });
  expect((await baton('prompts', 'apply', 'prompts')).said).toBe('why is version 1 (prompts/why.json)\n');
  expect((await baton('prompts', 'list')).said).toContain('why   1        yes     Asks why');
  expect((await baton('prompts', 'show', 'why')).said).toContain('text: Why {thing}?');
  expect((await baton('prompts', 'delete', 'why')).said).toBe('why is deleted.\n');
});
