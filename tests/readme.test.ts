import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blocks, Clone, readme } from './first-minutes/readme.ts';
import { BatonProcess, GATEWAY_UP } from './harness/process.ts';

/** What the README says is run as it is written, in a folder that has what a clone has. */
const root = new URL('..', import.meta.url).pathname;

let clone: Clone;
beforeAll(async () => {
  clone = await Clone.start();
});
afterAll(async () => {
  await clone.end();
});

const tea = blocks('A first delegation with curl');
/** What its first block defines: the key, the address, and `call`. */
const [begin = ''] = tea;

test('the first delegation with curl, copied and pasted, ends with tasks', async () => {
  expect(tea).toHaveLength(4);
  const said = await clone.sh(...tea);
  expect(said).toContain('A shop that sells three kinds of tea');
  expect(said).toContain('"tasksAdded": 3');
  expect(said).toContain('Next is 1: Catalogue');
});

test('a program with an MCP client, copied and pasted, turns a real document into tasks', async () => {
  const said = await clone.sh(...blocks('From a program'));
  expect(said).toContain('completed');
  expect(said).toContain('5. Reports (pending)');
});

describe('what baton dev leaves behind', () => {
  test('has its keys used again by the next start, which is up within seconds', async () => {
    const { apiKey, operatorToken, secret } = clone.devFile;
    await clone.dev.end('SIGTERM');
    await clone.startDev();
    expect(clone.devFile).toMatchObject({ apiKey, operatorToken, secret });
    expect(await clone.sh(begin, "call get_tasks '{}'")).toContain('Catalogue');
  });

  test('is joined by a second process with the same data directory', async () => {
    const environment = { ...clone.environment, PORT: '0', HOST: '127.0.0.1' };
    const second = await BatonProcess.start('gateway', environment, GATEWAY_UP);
    try {
      const said = await clone.sh(begin, `MCP=${second.url}/mcp`, "call get_tasks '{}'");
      expect(said).toContain('Catalogue');
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
