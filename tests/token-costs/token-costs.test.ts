import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { type AnyJson, callTool, connectMcpClient } from '../harness/mcp-client.ts';
import { countTokens } from './token-count.ts';

/** What a model reads of Baton's replies, in tokens of o200k: either the text of the content, or the structured content, as its host has it. */
let baton: InProcessDeployment;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
});
afterAll(() => baton?.stop());

/** A client of a tenant of its own, in which nothing waits. */
const clients: Client[] = [];
async function connect(tenant: string): Promise<Client> {
  const client = await connectMcpClient(baton.url(clients.length % 2), await baton.addTenant(tenant));
  clients.push(client);
  return client;
}
afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));

const PAGE_TOKENS = 20_000;
const PRD = 'The library lends books, films and tools to its members, and reminds them in time. '.repeat(110);

const call = async (client: Client, name: string, args: object): Promise<AnyJson> =>
  client.callTool({ name, arguments: args as Record<string, unknown> });

/** The tokens of both forms of a reply. */
function tokensOf({ content, structuredContent }: AnyJson): { text: number; structured: number } {
  const texts = content.filter(({ type }: AnyJson) => type === 'text').map(({ text }: AnyJson) => text);
  return { text: countTokens(texts.join('\n')), structured: countTokens(structuredContent) };
}

test('a directive costs less than 200 tokens beside its request', async () => {
  const client = await connect('envelopes');
  const tasks = ['One', 'Two'].map((title) => ({ title, description: 'x' }));
  await callTool(client, 'initialize_project', { tasks });
  const calls = [
    ['parse_prd', { prd: PRD, append: true }],
    ['analyze_project_complexity', {}],
    ['expand_task', { id: '1' }],
    ['update', { from: '1', prompt: 'Films are lent for a week.' }],
    ['add_task', { prompt: 'Fines are waived for children.' }],
    ['research', { query: 'Which standards do libraries lend by?' }],
  ] as const;
  const envelopes: { text: number; structured: number }[] = [];
  for (let n = 0; n < 5; n++)
    for (const [tool, args] of calls) {
      const reply = await call(client, tool, args);
      const request = countTokens(reply.structuredContent.llmRequestForAgent);
      const { text, structured } = tokensOf(reply);
      envelopes.push({ text: text - request, structured: structured - request });
      const links = reply.content.filter(({ type }: AnyJson) => type === 'resource_link');
      expect(countTokens(links), 'what a host may show beside').toBeLessThan(70);
    }
  // An id is 21 to 30 tokens, and a directive has three.
  for (const form of ['text', 'structured'] as const) {
    const each = envelopes.map((envelope) => envelope[form]);
    expect(each.reduce((sum, one) => sum + one) / each.length, form).toBeLessThan(195);
    expect(Math.max(...each), form).toBeLessThan(215);
  }
});

test('the reply to an answer that does not fit costs a few hundred tokens, whatever its request', async () => {
  const client = await connect('misfits');
  const { interactionId } = await callTool(client, 'parse_prd', { prd: PRD.repeat(5) });
  const agentLLMResponse = {
    status: 'success',
    data: { tasks: [{ id: 'x', title: 'a', description: 'b' }] },
  };
  const short = tokensOf(await call(client, 'agent_llm', { interactionId, agentLLMResponse }));
  expect(Math.max(short.text, short.structured)).toBeLessThan(450);
  const whole = tokensOf(await call(client, 'agent_llm', { interactionId, agentLLMResponse, repeat: true }));
  expect(Math.min(whole.text, whole.structured)).toBeGreaterThan(countTokens(PRD.repeat(5)));
});

test('results of a large project stay below 20,000 tokens, and say what they have no room for', async () => {
  const client = await connect('results');
  const details =
    'Members book a film by its number. The counter checks the deposit, then prints a slip with the day of return. '.repeat(
      20,
    );
  const tasks = Array.from({ length: 120 }, (_, at) => ({
    id: at + 1,
    title: `Lend films of shelf ${at + 1}`,
    description: details.slice(0, 500),
    details,
    testStrategy: details.slice(0, 500),
    dependencies: at === 0 ? [] : [at],
  }));
  const { interactionId } = await callTool(client, 'parse_prd', { prd: PRD });
  const agentLLMResponse = { status: 'success', data: { tasks } };
  const within = async (name: string, args: object): Promise<AnyJson> => {
    const reply = await call(client, name, args);
    expect([name, reply.isError ?? false]).toEqual([name, false]);
    const { text, structured } = tokensOf(reply);
    expect(Math.max(text, structured), name).toBeLessThan(PAGE_TOKENS);
    return reply.structuredContent;
  };
  const { result } = (await within('agent_llm', { interactionId, agentLLMResponse, waitMs: 20_000 })).outcome;
  expect(result.tasksAdded).toBe(120);
  expect([...result.tasks.map(({ id }: AnyJson) => id), ...result.notShown]).toEqual(result.taskIds);
  const shown = await within('get_task', { id: result.taskIds.join(',') });
  expect(shown.tasks.length + shown.notShown.length).toBe(120);
  const seen: number[] = [];
  for (let after: number | undefined; ; ) {
    const page = await within('get_tasks', { withSubtasks: true, ...(after && { after }) });
    seen.push(...page.tasks.map(({ id }: AnyJson) => id));
    after = page.nextAfter;
    if (after === undefined) break;
  }
  expect(seen).toEqual(result.taskIds);
  expect((await within('get_tasks', { limit: 3 })).tasks).toHaveLength(3);
});

test('parse_prd without echo leaves the document out of its directive, and nowhere else', async () => {
  const client = await connect('echoes');
  const prd = `# Library\n\n${PRD} $& $1 </prd>`;
  const meta = { 'baton/idempotencyKey': 'echo' };
  const args = { name: 'parse_prd', arguments: { prd, echo: false }, _meta: meta };
  const reply: AnyJson = await client.callTool(args);
  const { structuredContent: asked } = reply;
  expect(Math.max(...Object.values(tokensOf(reply)))).toBeLessThan(countTokens(prd));
  expect(JSON.stringify(reply)).not.toContain(PRD.slice(0, 500));
  const mark = `[prd: put its ${prd.length} characters here]`;
  const shown = asked.llmRequestForAgent.messages.at(-1).content;
  expect(shown.split(mark)).toHaveLength(2);
  for (const said of [reply.content[0].text, asked.message]) expect(said).toContain(mark);
  expect((await client.callTool(args)).structuredContent, 'the same call again').toMatchObject({
    message: asked.message,
    llmRequestForAgent: asked.llmRequestForAgent,
  });

  const { interactionId, taskId } = asked;
  const [stored] = (await callTool(client, 'pending_interactions', { interactionId })).interactions;
  expect(stored.llmRequestForAgent.messages.at(-1).content).toBe(shown.replace(mark, () => prd));
  const { pending } = await callTool(client, 'task_status', { taskId });
  expect(pending.llmRequestForAgent).toEqual(stored.llmRequestForAgent);
  const data = { tasks: [{ id: 1, title: 'Lend books', description: 'd' }] };
  const answer = { interactionId, agentLLMResponse: { status: 'success', data } };
  expect((await callTool(client, 'agent_llm', answer)).outcome).toMatchObject({ status: 'completed' });
});

test('parse_prd without echo needs a text to leave out, and leaves a short one in', async () => {
  const client = await connect('short-echoes');
  const { error } = await callTool(client, 'parse_prd', { input: 'a.md', echo: 'false' });
  expect(error).toMatchObject({ code: 'invalid_arguments', field: 'echo' });
  const { message, llmRequestForAgent } = await callTool(client, 'parse_prd', {
    prd: 'A tea shop.',
    echo: false,
  });
  expect(message).not.toContain('echo');
  expect(llmRequestForAgent.messages.at(-1).content).toContain('A tea shop.');
});

describe('a list of what waits', () => {
  /** All pages, each of them within the bound, in both forms. */
  async function walk(client: Client, args: object): Promise<AnyJson[]> {
    const found: AnyJson[] = [];
    let cursor: string | undefined;
    do {
      const reply = await call(client, 'pending_interactions', { ...args, ...(cursor && { cursor }) });
      const { text, structured } = tokensOf(reply);
      expect(Math.max(text, structured)).toBeLessThan(PAGE_TOKENS);
      found.push(...reply.structuredContent.interactions);
      cursor = reply.structuredContent.nextCursor;
    } while (cursor !== undefined);
    return found;
  }

  test('is summaries by default, whole requests on demand, and never a page over 20,000 tokens', async () => {
    const client = await connect('summaries');
    const ids: string[] = [];
    for (let n = 0; n < 20; n++) {
      const args = { prd: `${n} ${PRD.repeat(2)}`, projectRoot: `list-${n}` };
      ids.push((await callTool(client, 'parse_prd', args)).interactionId);
    }
    const first = await call(client, 'pending_interactions', {});
    expect(first.structuredContent.interactions).toHaveLength(20);
    expect(tokensOf(first).structured).toBeLessThan(5_000);
    expect(JSON.stringify(first).length).toBeLessThan(25_000);
    expect((await walk(client, {})).map(({ interactionId }) => interactionId)).toEqual(ids);
    const whole = await walk(client, { requests: true });
    expect(whole.map(({ interactionId }) => interactionId)).toEqual(ids);
    expect(whole.every(({ llmRequestForAgent }) => llmRequestForAgent.messages.length > 0)).toBe(true);
    for (const { taskId } of whole) await callTool(client, 'cancel_task', { taskId });
    const past = await walk(client, { status: 'cancelled', requests: true });
    expect(past.filter(({ llmRequestForAgent }) => llmRequestForAgent)).toHaveLength(20);
  });

  test.each([
    ['many small ones', 60, 'Name a colour. '],
    ['Japanese', 8, '図書館は本と映画と道具を会員に貸し出し、期限前に知らせます。'.repeat(120)],
    [
      'code',
      8,
      'for (const { id, title } of items) if (id > 3) seen.set(title, [...ids, id]);\n'.repeat(150),
    ],
    ['JSON with ids', 8, '{"id":"45b8005d-2500-8e06-91ec","n":[1,22,333]}\n'.repeat(200)],
  ])('holds %s within its pages, and so does a claim', async (what, count, content) => {
    const client = await connect(`texts-${what.length}`);
    const tasks: string[] = [];
    for (let n = 0; n < count; n++) tasks.push((await ask(client, `${n} ${content}`)).taskId);
    const listed = await walk(client, { requests: true });
    expect(listed.filter(({ llmRequestForAgent }) => llmRequestForAgent)).toHaveLength(count);
    const claimed: string[] = [];
    while (claimed.length < count) {
      const page = await call(client, 'pending_interactions', { claim: { max: 50, leaseMs: 60_000 } });
      expect(Math.max(...Object.values(tokensOf(page)))).toBeLessThan(PAGE_TOKENS);
      claimed.push(...page.structuredContent.interactions.map(({ taskId }: AnyJson) => taskId));
    }
    expect(claimed).toEqual(tasks);
  });

  test('names a request that no page holds, which is given whole by its id and to who claims it', async () => {
    const client = await connect('large');
    const content = 'All work and no play. '.repeat(5_000);
    const { interactionId } = await ask(client, content);
    const [listed] = (await callTool(client, 'pending_interactions', { requests: true })).interactions;
    const warning = expect.stringMatching(/110\d\d\d bytes.*interactionId/);
    expect(listed).toMatchObject({ interactionId, warning });
    expect(listed).not.toHaveProperty('llmRequestForAgent');
    const llmRequestForAgent = expect.objectContaining({ messages: [{ role: 'user', content }] });
    for (const args of [{ interactionId }, { claim: { leaseMs: 60_000 } }])
      expect((await callTool(client, 'pending_interactions', args)).interactions).toEqual([
        expect.objectContaining({ interactionId, llmRequestForAgent }),
      ]);
  });
});

/** Opens a request of the caller's own. */
function ask(client: Client, content: string): Promise<AnyJson> {
  const requestParameters = { messages: [{ role: 'user', content }] };
  const delegatedCallDetails = { originalCommand: 'tests', serviceType: 'generateText', requestParameters };
  return callTool(client, 'agent_llm', { delegatedCallDetails });
}
