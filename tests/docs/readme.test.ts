import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FakeLlmServer } from '../fake-llm/llm-server.ts';
import { BatonProcess, DEV_READY_LINE, GATEWAY_READY_LINE } from '../processes/baton-process.ts';
import { QuickstartFolder } from '../quickstart/quickstart-folder.ts';
import { cannedLlmBehaviour } from '../quickstart/canned-llm-answers.ts';
import { codeBlocksUnder } from './read-markdown-pages.ts';
import { SourceCopy } from './source-copy.ts';

/** What the README shows is run as it is written, in a folder that has what a clone has. */
let clone: QuickstartFolder;
let llm: FakeLlmServer;
beforeAll(async () => {
  clone = await QuickstartFolder.start();
  llm = await FakeLlmServer.start(cannedLlmBehaviour);
});
afterAll(async () => {
  await llm?.close();
  await clone?.end();
});

const delegation = codeBlocksUnder('A first delegation with curl');
/** Defines the key, the address, and `call`. */
const [definitions = ''] = delegation;

test('npm start, in a copy of the sources, builds and starts a Baton that answers', {
  timeout: 120_000,
}, async () => {
  const tree = SourceCopy.create();
  try {
    const [command = ''] = codeBlocksUnder('Start');
    const [, url] = await tree.start(command, DEV_READY_LINE, { PORT: '0' });
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  } finally {
    await tree.end();
  }
});

test('the first delegation with curl, copied and pasted, ends with tasks', async () => {
  expect(delegation).toHaveLength(4);
  const output = await clone.sh(...delegation);
  expect(output).toContain('A shop that sells three kinds of tea');
  expect(output).toContain('"tasksAdded": 3');
  expect(output).toContain('Next is 1: Catalogue');
});

describe('ways to answer', { timeout: 60_000 }, () => {
  const lines = codeBlocksUnder('Who answers').join('').trim().split('\n');

  test('the README shows three ways', () => {
    expect(lines).toHaveLength(3);
  });

  test.each(lines)('%s: baton agent answers a pending request', async (line) => {
    const provider = line.includes('ANTHROPIC') ? 'anthropic' : 'openai';
    const command = line
      .replace('=... ', '=key-of-the-llm ')
      .replace(/http:\/\/127\.0\.0\.1:11434\/v1/, llm.url);
    // The reader's provider is the tests' server; all else is what is typed.
    const here = `export BATON_LLM_ENDPOINT=${llm.url} BATON_LLM_PROVIDER=${provider}`;
    const park = `call parse_prd '{"prd":"A shop.","numTasks":5,"force":true}' > parked.json`;
    const output = await clone.sh(definitions, park, here, `${command} --once`, "call get_tasks '{}'");
    expect(output).toContain('"total":5');
  });
});

test('a program with an MCP client, copied and pasted, turns a real document into tasks', async () => {
  const output = await clone.sh(...codeBlocksUnder('From a program'));
  expect(output).toContain('completed');
  expect(output).toContain('5. Reports (pending)');
});

describe('what baton dev writes', () => {
  test('is reused by the next start: its keys are still valid', async () => {
    const { apiKey, operatorToken, secret } = clone.devFile;
    await clone.dev.stop('SIGTERM');
    await clone.startDev();
    expect(clone.devFile).toMatchObject({ apiKey, operatorToken, secret });
    expect(await clone.sh(definitions, "call get_tasks '{}'")).toContain('"tasks"');
  });

  test('is joined by a second process with the same data directory', async () => {
    const environment = { ...clone.environment, PORT: '0', HOST: '127.0.0.1' };
    const second = await BatonProcess.start('gateway', environment, GATEWAY_READY_LINE);
    try {
      const output = await clone.sh(definitions, `MCP=${second.url}/mcp`, "call get_tasks '{}'");
      expect(output).toContain('"tasks"');
    } finally {
      await second.stop('SIGTERM');
    }
  });
});
