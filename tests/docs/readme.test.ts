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
  clone = await QuickstartFolder.start({ throughNpm: true });
  llm = await FakeLlmServer.start(cannedLlmBehaviour);
});
afterAll(async () => {
  await llm?.close();
  await clone?.end();
});

const delegation = codeBlocksUnder('A first delegation');

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

test('the first delegation, copied and pasted, ends with tasks', { timeout: 60_000 }, async () => {
  expect(delegation).toHaveLength(4);
  const [call = '', ...rest] = delegation;
  const asked = await clone.sh(call);
  const [, id = ''] = /baton answer (\S+)/.exec(asked) ?? [];
  // The terminal of npm start names the same request, and how it is answered.
  await expect
    .poll(() => clone.dev.output.join('\n'), { timeout: 10_000 })
    .toContain(`parse_prd waits: npx baton agent, or npx baton answer ${id}`);
  const output = await clone.sh(...rest);
  expect(output).toContain('A shop that sells three kinds of tea');
  expect(output).toContain('tasksAdded: 3');
  expect(output).toContain('Next is 1: Catalogue');
});

test('the page of the bare wire does the same with curl, over MCP and over REST', async () => {
  const withCurl = codeBlocksUnder('A first delegation with curl');
  expect(withCurl).toHaveLength(4);
  const output = await clone.sh(...withCurl, ...codeBlocksUnder('The same over REST'));
  expect(output).toContain('A shop that sells three kinds of tea');
  expect(output).toContain('"tasksAdded": 3');
  expect(output.match(/Next is 1: Catalogue/g)?.length).toBeGreaterThan(1);
  expect(output).toContain('HTTP/1.1 200');
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
    const park = "npx baton call parse_prd prd='A shop.' numTasks=5 force=true";
    const output = await clone.sh(park, here, `${command} --once`, 'npx baton call get_tasks --json');
    expect(output).toContain('"total": 5');
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
    expect(await clone.sh('npx baton call get_tasks --json')).toContain('"tasks"');
  });

  test('is joined by a second process with the same data directory', async () => {
    const environment = { ...clone.environment, PORT: '0', HOST: '127.0.0.1' };
    const second = await BatonProcess.start('gateway', environment, GATEWAY_READY_LINE);
    try {
      const there = `--url ${second.url} --key ${clone.devFile.apiKey}`;
      expect(await clone.sh(`npx baton call get_tasks --json ${there}`)).toContain('"tasks"');
    } finally {
      await second.stop('SIGTERM');
    }
  });
});
