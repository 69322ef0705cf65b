import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FakeLlmServer } from '../fake-llm/llm-server.ts';
import { callTool, type AnyJson } from '../harness/mcp-client.ts';
import { cannedLlmBehaviour, CANNED_ANSWERS } from './canned-llm-answers.ts';
import {
  readClientConfigurations,
  connectByConfiguration,
  INSPECTOR_CONFIG,
} from './client-configurations.ts';
import { codeBlocksUnder } from '../docs/read-markdown-pages.ts';
import { QuickstartFolder } from './quickstart-folder.ts';

/** The walkthrough's first ten minutes, from a document to a finished task, are what a reader finds who types them. */
let clone: QuickstartFolder;
let llm: FakeLlmServer;
beforeAll(async () => {
  clone = await QuickstartFolder.start();
  llm = await FakeLlmServer.start(cannedLlmBehaviour);
});
afterAll(async () => {
  await llm.close();
  await clone.end();
});

const tea = codeBlocksUnder('A first delegation');

/** What `baton call` replies to a program. */
const call = async (args: string): Promise<AnyJson> =>
  JSON.parse(await clone.sh(`npx baton call ${args} --json`));

/** Each command that is typed is a process of its own, and npx before it. */
const MANY_COMMANDS = { timeout: 120_000 };

test('by hand: typed answers make a plan, split its first task and finish it', MANY_COMMANDS, async () => {
  const said = await clone.sh(...tea, ...codeBlocksUnder('By hand'));
  expect(said).toMatch(/subtasks:\n +- id: 1\n +title: Table of teas[\s\S]+- id: 2\n +title: Page of teas/);
  expect(said.trimEnd()).toMatch(/\n {2}id: 2\n {2}title: Basket\n[\s\S]+message: "Next is 2: Basket"$/);
  const { task } = await call('get_task id=1');
  expect(task).toMatchObject({ status: 'done', subtasks: [{ status: 'done' }, { status: 'done' }] });
});

test('the commands of baton workflows store and run the examples, which baton dev has', async () => {
  const said = await clone.sh(...codeBlocksUnder('From the command line'));
  for (const text of [
    /^prd_to_sprint +1 +5 +turn a document/m,
    'finish_task is version 1 (finish_task.yaml)',
    'All 4 steps are done; nothing is left to do.',
    /^Task \S+ is completed\.$/m,
  ])
    expect(said).toMatch(text);
});

test('the status of what baton dev runs has one gateway and one worker, and nothing that is neither', async () => {
  const { mcpUrl, operatorToken } = clone.devFile;
  const headers = { authorization: `Bearer ${operatorToken}` };
  const status = (await (await fetch(new URL('/v1/status', mcpUrl), { headers })).json()) as AnyJson;
  expect([status.gateways.length, status.workers.length, status.gateways.join()]).toEqual([
    1,
    1,
    expect.not.stringContaining('dev-'),
  ]);
});

describe('with an LLM endpoint', MANY_COMMANDS, () => {
  const [choices = ''] = codeBlocksUnder('With an LLM endpoint', '');
  const lines = choices.trim().split('\n');

  test('the walkthrough names three endpoints', () => {
    expect(lines).toHaveLength(3);
  });

  test.each(lines)('%s: baton agent answers, and a real document becomes completed tasks', async (line) => {
    llm.calls.length = 0;
    const named = line
      .replaceAll('...', 'key-of-the-llm')
      .replace(/http:\/\/127\.0\.0\.1:11434\/v1/, llm.url);
    const provider = line.includes('ANTHROPIC') ? 'anthropic' : 'openai';
    // The reader's provider is the tests' server; all else is what is typed.
    const here = `export BATON_LLM_ENDPOINT=${llm.url} BATON_LLM_PROVIDER=${provider}`;
    const said = await clone.sh(named, here, ...codeBlocksUnder('With an LLM endpoint'));
    expect(said).toContain(`message: "Next is 2: ${CANNED_ANSWERS.tasks[1]?.title}"`);
    const split = await call('get_task projectRoot=library id=1');
    expect(split.task).toMatchObject({ status: 'done' });
    expect(split.task.subtasks).toHaveLength(CANNED_ANSWERS.subtasks.length);
    const next = await call('next_task projectRoot=library');
    expect(next.task).toMatchObject({ id: 2, title: CANNED_ANSWERS.tasks[1]?.title });
    expect(llm.calls.map(({ api }) => api)).toEqual([provider, provider]);
    expect(llm.calls[0]?.topic).toContain('SHELFLIGHT');
    expect(llm.calls[0]?.model).toBe(/BATON_LLM_MODEL=(\S+)/.exec(line)?.[1]);
  });
});

describe('from an MCP client', () => {
  test('the walkthrough has a configuration for each', () => {
    expect(readClientConfigurations().map(({ path }) => path)).toEqual([
      '.mcp.json',
      '.cursor/mcp.json',
      '.vscode/mcp.json',
    ]);
  });

  test.each(readClientConfigurations())(
    '$client: its configuration connects to Baton and completes the walkthrough',
    async (one) => {
      const client = await connectByConfiguration(
        one.serverEntry(clone.devFile.apiKey),
        clone.devFile.mcpUrl,
      );
      const projectRoot = one.client;
      const prd = clone.read('tests/fixtures/prd-library.txt');
      // What a coding agent does by itself: it answers what it is asked by the call's own reply.
      const through = async (name: string, args: object) => {
        const { interactionId, llmRequestForAgent } = await callTool(client, name, { projectRoot, ...args });
        const data = CANNED_ANSWERS.answerTo(llmRequestForAgent);
        const agentLLMResponse = { status: 'success', data };
        const { outcome } = await callTool(client, 'agent_llm', { interactionId, agentLLMResponse });
        expect(outcome.status).toBe('completed');
      };
      await through('parse_prd', { prd, numTasks: 5 });
      await through('expand_task', { id: 1 });
      await callTool(client, 'set_task_status', { projectRoot, id: 1, status: 'done' });
      const { task } = await callTool(client, 'next_task', { projectRoot });
      expect(task).toMatchObject({ id: 2 });
      await client.close();
    },
  );

  test('the command for Claude Code without a file has the same URL and header', async () => {
    const line = codeBlocksUnder('From an MCP client', '').find((block) => block.startsWith('claude '));
    const said = await clone.sh(
      ...codeBlocksUnder('From an MCP client'),
      `claude() { printf '%s\\n' "$@"; }`,
      line ?? '',
    );
    const [, , flag, transport, , url, header, value] = said.trim().split('\n');
    expect([flag, transport, header]).toEqual(['--transport', 'http', '--header']);
    const [name = '', text = ''] = (value ?? '').split(': ');
    const client = await connectByConfiguration(
      { url: url ?? '', headers: { [name]: text } },
      clone.devFile.mcpUrl,
    );
    await client.close();
  });

  test(
    'the Inspector reads its key from a file, and prints what the walkthrough shows',
    MANY_COMMANDS,
    async () => {
      const [commands = '', output = ''] = codeBlocksUnder('From an MCP client', '').slice(-2);
      const lines = commands.trim().split('\n');
      const [mcpJson = ''] = codeBlocksUnder('From an MCP client', 'json');
      const fill = lines.find((line) => line.startsWith('sed ')) ?? '';
      await clone.sh(
        ...codeBlocksUnder('From an MCP client'),
        `cat > .mcp.json <<'EOF'\n${mcpJson}EOF`,
        fill,
      );
      const { baton } = JSON.parse(clone.read(INSPECTOR_CONFIG)).mcpServers;
      expect(commands).toContain(`--config ${INSPECTOR_CONFIG} --server baton`);
      const client = await connectByConfiguration(baton, clone.devFile.mcpUrl);
      await clone.sh(...tea, ...codeBlocksUnder('By hand'));
      const result = JSON.stringify(await client.callTool({ name: 'next_task', arguments: {} }), null, 2);
      expect(result.startsWith(output.trim().replace(/,$/, ''))).toBe(true);
      await client.close();
      // By flags it is the same.
      const [byFlags = ''] = lines;
      expect(byFlags).toContain(`--header "Authorization: Bearer $BATON_API_KEY"`);
    },
  );
});
