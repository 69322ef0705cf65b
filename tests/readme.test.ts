import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BatonProcess, DEV_UP, GATEWAY_UP } from './harness/process.ts';

/** What the README says is run as it is written, in a folder that has what a clone has. */
const root = new URL('..', import.meta.url).pathname;
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const blocks = (heading: string) => {
  const section = readme.split(/^## /m).find((part) => part.startsWith(heading)) ?? '';
  return [...section.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block = '']) => block);
};

const folder = mkdtempSync(join(tmpdir(), 'baton-readme-'));
for (const part of ['node_modules', 'tests']) symlinkSync(join(root, part), join(folder, part));
const sh = (script: string) =>
  execFileSync('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, encoding: 'utf8' });

let dev: BatonProcess;
beforeAll(async () => {
  dev = await BatonProcess.start('dev', { BATON_DATA_DIR: join(folder, '.baton'), PORT: '0' }, DEV_UP);
});
afterAll(async () => {
  await dev.end('SIGTERM');
  rmSync(folder, { recursive: true });
});

test('the first delegation with curl, copied and pasted, ends with tasks', () => {
  const parts = blocks('A first delegation with curl');
  expect(parts).toHaveLength(4);
  const said = sh(parts.join('\n'));
  expect(said).toContain('A shop that sells three kinds of tea');
  expect(said).toContain('"tasksAdded": 3');
  expect(said).toContain('Next is 1: Catalogue');
});

test('the delegation with an MCP client, copied and pasted, turns a real document into tasks', () => {
  const said = sh(blocks('The same with an MCP client').join('\n'));
  expect(said).toContain('completed');
  expect(said).toContain('5. Reports (pending)');
});

describe('what baton dev leaves behind', () => {
  test('has its keys used again by the next start, which is up within seconds', async () => {
    const before = readFileSync(join(folder, '.baton/dev.json'), 'utf8');
    await dev.end('SIGTERM');
    dev = await BatonProcess.start('dev', { BATON_DATA_DIR: join(folder, '.baton'), PORT: '0' }, DEV_UP);
    const { apiKey, operatorToken, secret } = JSON.parse(before);
    expect(JSON.parse(readFileSync(join(folder, '.baton/dev.json'), 'utf8'))).toMatchObject({
      apiKey,
      operatorToken,
      secret,
    });
    expect(sh(blocks('A first delegation with curl')[0] + "call get_tasks '{}'")).toContain('Catalogue');
  });

  test('is joined by a second process with the same data directory', async () => {
    const environment = { BATON_DATA_DIR: join(folder, '.baton'), PORT: '0', HOST: '127.0.0.1' };
    const second = await BatonProcess.start('gateway', environment, GATEWAY_UP);
    try {
      const script = `${blocks('A first delegation with curl')[0]}\nMCP=${second.url}/mcp\ncall get_tasks '{}'`;
      expect(sh(script)).toContain('Catalogue');
    } finally {
      await second.end('SIGTERM');
    }
  });
});

test('the README names every setting, and the command knows every setting that it names', () => {
  const source = readFileSync(join(root, 'apps/cli/src/environment.ts'), 'utf8');
  const known = [...source.matchAll(/^ {2}([A-Z_]+):/gm)].map(([, name]) => name);
  expect(known.length).toBeGreaterThan(10);
  for (const name of known) expect(readme).toContain(`\`${name}\``);
});
