import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LlmServer } from '../agent/llm-server.ts';
import { call, type Loose } from '../harness/client.ts';
import { answers, atWork } from './answers.ts';
import { configurations, connectBy, INSPECTOR } from './configurations.ts';
import { blocks, Clone } from './readme.ts';

/** The README's first ten minutes, from a document to a finished task, are what a reader finds who types them. */
let clone: Clone;
let llm: LlmServer;
beforeAll(async () => {
  clone = await Clone.start();
  llm = await LlmServer.start(answers);
});
afterAll(async () => {
  await llm.close();
  await clone.end();
});

const tea = blocks('A first delegation with curl');
const [begin = ''] = tea;

/** The replies of `call`, a line each. */
const replies = (said: string): Loose[] =>
  said
    .split('\n')
    .filter((line) => line.startsWith('{"'))
    .map((line) => JSON.parse(line).result?.structuredContent);

test('by hand: answers typed into curl make a plan, split its first task and finish it', async () => {
  const said = await clone.sh(...tea, ...blocks('By hand'));
  const [split, , , next] = replies(said).slice(-4);
  expect(split.task.subtasks.map(({ title }: Loose) => title)).toEqual(['Table of teas', 'Page of teas']);
  expect(next).toMatchObject({ task: { id: 2, title: 'Basket' } });
  const { task } = replies(await clone.sh(begin, 'call get_task \'{"id":1}\''))[0];
  expect(task).toMatchObject({ status: 'done', subtasks: [{ status: 'done' }, { status: 'done' }] });
});

describe('with an LLM endpoint', { timeout: 60_000 }, () => {
  const [choices = ''] = blocks('With an LLM endpoint', '');
  const lines = choices.trim().split('\n');

  test('the README names three ways to say which', () => {
    expect(lines).toHaveLength(3);
  });

  test.each(lines)('%s: baton agent answers, and a real document becomes work that is done', async (line) => {
    llm.asked.length = 0;
    const named = line
      .replaceAll('...', 'key-of-the-llm')
      .replace(/http:\/\/127\.0\.0\.1:11434\/v1/, llm.url);
    const provider = line.includes('ANTHROPIC') ? 'anthropic' : 'openai';
    // The reader's provider is the tests' server; all else is what is typed.
    const here = `export BATON_LLM_ENDPOINT=${llm.url} BATON_LLM_PROVIDER=${provider}`;
    const said = await clone.sh(begin, named, here, ...blocks('With an LLM endpoint'));
    const [split, , next] = replies(said).slice(-3);
    expect(split.task.subtasks).toHaveLength(atWork.subtasks.length);
    expect(next.task).toMatchObject({ id: 2, title: atWork.tasks[1]?.title });
    expect(llm.asked.map(({ api }) => api)).toEqual([provider, provider]);
    expect(llm.asked[0]?.topic).toContain('SHELFLIGHT');
    expect(llm.asked[0]?.model).toBe(/BATON_LLM_MODEL=(\S+)/.exec(line)?.[1]);
  });
});

describe('from an MCP client', () => {
  test('the README has a configuration for each', () => {
    expect(configurations().map(({ path }) => path)).toEqual([
      '.mcp.json',
      '.cursor/mcp.json',
      '.vscode/mcp.json',
    ]);
  });

  test.each(configurations())(
    '$client: its configuration leads to Baton, and through the whole walk',
    async (one) => {
      const client = await connectBy(one.server(clone.devFile.apiKey), clone.devFile.mcpUrl);
      const projectRoot = one.client;
      const prd = clone.read('tests/fixtures/prd-library.txt');
      // What a coding agent does by itself: it answers what it is asked by the call's own reply.
      const through = async (name: string, args: object) => {
        const { interactionId, llmRequestForAgent } = await call(client, name, { projectRoot, ...args });
        const data = atWork.answerTo(llmRequestForAgent);
        const agentLLMResponse = { status: 'success', data };
        const { outcome } = await call(client, 'agent_llm', { interactionId, agentLLMResponse });
        expect(outcome.status).toBe('completed');
      };
      await through('parse_prd', { prd, numTasks: 5 });
      await through('expand_task', { id: 1 });
      await call(client, 'set_task_status', { projectRoot, id: 1, status: 'done' });
      const { task } = await call(client, 'next_task', { projectRoot });
      expect(task).toMatchObject({ id: 2 });
      await client.close();
    },
  );

  test('the line for Claude Code without a file gives it the same address and header', async () => {
    const line = blocks('From an MCP client', '').find((block) => block.startsWith('claude '));
    const said = await clone.sh(
      begin,
      ...blocks('From an MCP client'),
      `claude() { printf '%s\\n' "$@"; }`,
      line ?? '',
    );
    const [, , flag, transport, , url, header, value] = said.trim().split('\n');
    expect([flag, transport, header]).toEqual(['--transport', 'http', '--header']);
    const [name = '', text = ''] = (value ?? '').split(': ');
    const client = await connectBy({ url: url ?? '', headers: { [name]: text } }, clone.devFile.mcpUrl);
    await client.close();
  });

  test('the Inspector is given a file with the key in it, and its output begins as the README shows', async () => {
    const [commands = '', output = ''] = blocks('From an MCP client', '').slice(-2);
    const lines = commands.trim().split('\n');
    const [mcpJson = ''] = blocks('From an MCP client', 'json');
    const fill = lines.find((line) => line.startsWith('sed ')) ?? '';
    await clone.sh(begin, ...blocks('From an MCP client'), `cat > .mcp.json <<'EOF'\n${mcpJson}EOF`, fill);
    const { baton } = JSON.parse(clone.read(INSPECTOR)).mcpServers;
    expect(commands).toContain(`--config ${INSPECTOR} --server baton`);
    const client = await connectBy(baton, clone.devFile.mcpUrl);
    await clone.sh(...tea, ...blocks('By hand'));
    const result = JSON.stringify(await client.callTool({ name: 'next_task', arguments: {} }), null, 2);
    expect(result.startsWith(output.trim().replace(/,$/, ''))).toBe(true);
    await client.close();
    // By flags it is the same.
    const [byFlags = ''] = lines;
    expect(byFlags).toContain(`--header "Authorization: Bearer $BATON_API_KEY"`);
  });
});
