import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { transformSync } from 'esbuild';
import openapiTS, { astToString } from 'openapi-typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import type { AnyJson } from '../harness/mcp-client.ts';

/** The OpenAPI document as others' tools read it: a linter, a generator of types, and a client that is typed by those. */
const ROOT = join(import.meta.dirname, '../..');
const patient = { timeout: 180_000 };
let baton: InProcessDeployment;
let folder: string;
let text: string;

beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 1, workers: 1 });
  text = await (await fetch(`${baton.url()}/v1/openapi.json`)).text();
  folder = mkdtempSync(join(tmpdir(), 'baton-openapi-'));
  mkdirSync(join(folder, 'src'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
});
afterAll(async () => {
  await baton?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('a client that has it already is told so by its ETag', async () => {
  const url = `${baton.url()}/v1/openapi.json`;
  const etag = (await fetch(url)).headers.get('etag') ?? '';
  const again = await fetch(url, { headers: { 'if-none-match': etag } });
  expect([again.status, await again.text()]).toEqual([304, '']);
  expect((await fetch(url, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
});

test("the linter's recommended rules find nothing", patient, async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const found = await lintFromString({ source: text, config });
  expect(found.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  // It does find what is wrong.
  const wrong = text.replace('"operationId":"listTasks"', '"operationId":"listKeys"');
  expect(await lintFromString({ source: wrong, config })).not.toEqual([]);
});

test('every named schema is referred to, and described once', () => {
  const { components, servers } = JSON.parse(text) as AnyJson;
  const names = Object.keys(components.schemas);
  expect(names).toEqual(
    expect.arrayContaining(['Task', 'Interaction', 'Project', 'Tenant', 'Key', 'Problem']),
  );
  for (const name of names) expect(text).toContain(`"$ref":"#/components/schemas/${name}"`);
  expect(servers).toEqual([{ url: '/', description: 'This deployment' }]);
});

test(
  'types that are generated from it name what it names, and a client that is typed by them has work delegated',
  patient,
  async () => {
    const program = readFileSync(join(import.meta.dirname, 'delegating-program.ts.txt'), 'utf8');
    const write = (name: string, content: string) => writeFileSync(join(folder, 'src', name), content);
    write('schema.d.ts', astToString(await openapiTS(JSON.parse(text))));
    write('delegate.ts', program);
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const settings = readFileSync(join(ROOT, 'tsconfig.json'), 'utf8');
    const { compilerOptions } = JSON.parse(settings) as { compilerOptions: object };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
    const check = () =>
      execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' });
    expect(check()).toBe('');
    // A field that no task has is an error of types.
    write('wrong.ts', program.replaceAll('found.taskId', 'found.noSuchField'));
    expect(check).toThrow();
    write('delegate.mjs', transformSync(program, { loader: 'ts', format: 'esm' }).code);
    const { delegate } = (await import(pathToFileURL(join(folder, 'src/delegate.mjs')).href)) as {
      delegate: (url: string, key: string, answer: string) => Promise<AnyJson>;
    };
    const done = await delegate(baton.url(), baton.apiKey, 'good');
    expect(done.task).toMatchObject({ operation: 'classify', status: 'completed' });
    expect(done.result).toMatchObject({ status: 'completed' });
    expect([done.unknown.response.status, done.unknown.error.code]).toEqual([404, 'task_not_found']);
  },
);
