import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { codeBlocksUnder, readPage } from '../docs/read-markdown-pages.ts';
import { FakeLlmServer, type LlmBehaviour, type LlmCall } from '../fake-llm/llm-server.ts';
import type { AnyJson } from '../harness/mcp-client.ts';
import { QuickstartFolder } from './quickstart-folder.ts';

/** The commands of docs/examples.md, as they stand there, by hand and by `baton agent`: `baton agent` answers by the tests' server, which speaks both APIs. */
let clone: QuickstartFolder;
let llm: FakeLlmServer;
beforeAll(async () => {
  clone = await QuickstartFolder.start();
  llm = await FakeLlmServer.start(behaviour);
});
afterAll(async () => {
  await llm?.close();
  await clone?.end();
});
beforeEach(() => {
  llm.calls.length = 0;
});

const CHART = Buffer.from('a chart').toString('base64');
const LETTERS = ['A', 'B', 'C'];
const logprobs = [
  {
    token: 'A',
    logprob: Math.log(0.5),
    top_logprobs: LETTERS.map((token, at) => ({ token, logprob: Math.log(1 / (at + 2)) })),
  },
];

/** A model: calls every function first, leaves a tag open once, and says the first letter of several. */
function behaviour({ system, body, messages, attempt, api }: LlmCall): LlmBehaviour {
  // Its own search is no function of the request.
  const tools: AnyJson[] = (body.tools ?? []).filter((tool: AnyJson) => tool.function ?? tool.input_schema);
  const hasResults = /"tool_result"|"role":"tool"/.test(JSON.stringify(messages));
  if (tools.length > 0 && !hasResults) {
    const toolCalls = tools.map((tool, at) => {
      const { name, parameters } = tool.function ?? { name: tool.name, parameters: tool.input_schema };
      const given = parameters.required.map((field: string) => [field, `What ${name} is asked`]);
      return { id: `call_${at}`, name, arguments: Object.fromEntries(given) };
    });
    return { do: 'say', text: '', toolCalls };
  }
  if (system.includes('the letter of one class'))
    return { do: 'say', text: 'A', ...(api === 'openai' ? { logprobs } : {}) };
  if (!system.includes('XML tags')) {
    const images = system.includes('draw it') ? [CHART] : [];
    return { do: 'say', text: `Said: ${system.split(/[\n.]/)[0]}`, images };
  }
  const people = '<person>Ann</person> and <person>Bob</person>';
  return { do: 'say', text: `${people} <about>a van${messages.length > 1 && attempt > 1 ? '</about>' : ''}` };
}

/** The reader's provider is the tests' server; all else is what is typed. */
const here = (provider: string) =>
  `export BATON_LLM_ENDPOINT=${llm.url} BATON_LLM_PROVIDER=${provider} BATON_LLM_API_KEY=k BATON_LLM_MODEL=m`;

const [define = ''] = codeBlocksUnder('Three examples');
const [defineAsk = '', ...asks] = codeBlocksUnder('All three by an LLM endpoint');

/** The task of each `ask`, which shows it for people: read again for programs. */
const endsIn = async (said: string): Promise<AnyJson[]> => {
  const ids = said.matchAll(/^taskId: (\S+)$/gm);
  return Promise.all(
    [...ids].map(async ([, id]) =>
      JSON.parse(await clone.sh(`npx baton call task_status taskId=${id} --json`)),
    ),
  );
};

describe('by hand', { timeout: 180_000 }, () => {
  const result = async (said: string) => {
    const [id = ''] = /(?<=Its task is )\S+(?=\.)/.exec(said) ?? [];
    return JSON.parse(await clone.sh(`npx baton call task_status taskId=${id} --json`));
  };

  test('the team asks three specialists, is shown a chart, and answers', async () => {
    const said = await clone.sh(define, ...codeBlocksUnder('A research team, by hand'));
    expect(said).toContain('research(question)  Finds sources for a question');
    expect(said).toContain('calls critic {"claim":"A heat pump pays for itself in Oslo."}');
    expect(said).toMatch(/--- tool\nAt 1\.5 kWh [^\n]+\n- type: image\n {2}mimeType: image\/png\n/);
    expect(said).not.toContain('asked for again');
    const team = await result(said);
    expect(team).toMatchObject({
      status: 'completed',
      result: {
        agentId: 'lead',
        response: 'Yes, within seven years, unless the house leaks heat.',
        functionCalls: [
          { name: 'research', result: expect.stringContaining('Statistics Norway') },
          { name: 'analyst', result: expect.stringContaining('seven years') },
          { name: 'critic', result: 'Not where the house is badly insulated.' },
        ],
        content: [{ type: 'image', mimeType: 'image/png' }],
      },
    });
  });

  test('the extractor asks again in its own words for a tag that was left open', async () => {
    const said = await clone.sh(define, ...codeBlocksUnder('An extractor, by hand'));
    expect(said).toContain('It is asked for again.');
    expect(said).toContain('--- user\nThat could not be read: <about> is opened and never closed');
    const { response } = (await result(said)).result;
    expect(readPage('docs/examples.md')).toContain(`\`response\` is \`${JSON.stringify(response)}\``);
  });

  test('the classifier takes out what the LLM prefers anyway', async () => {
    const said = await clone.sh(define, ...codeBlocksUnder('A classifier, by hand'));
    const { status, result: found } = await result(said);
    expect([status, found.class, found.method]).toEqual(['completed', 'bug', 'contextual_calibration']);
    const page = readPage('docs/examples.md');
    expect(page).toContain(`the probability of \`bug\` becomes ${found.probabilities.bug.toFixed(2)}.`);
  });
});

describe.each(['openai', 'anthropic'] as const)('by an endpoint of the kind %s', (provider) => {
  test('the commands of the page run the team, the extractor and the classifier', {
    timeout: 180_000,
  }, async () => {
    const said = await clone.sh(here(provider), define, defineAsk, ...asks);
    expect(said).toContain('lead is version 1 (docs/examples/team/lead.yaml)');
    expect(said).toContain('extract is version 1 (docs/examples/prompts/extract.yaml)');
    const [team, extractor, classifier, ...more] = await endsIn(said);
    expect(more).toEqual([]);
    expect(team).toMatchObject({
      status: 'completed',
      result: { agentId: 'lead', response: 'Said: You lead a team that answers questions from sources' },
    });
    expect(team?.result.functionCalls).toMatchObject([
      {
        name: 'analyst',
        result: 'Said: Work out what you are asked, step by step, and say what you assumed',
      },
      { name: 'critic', result: 'Said: Look for what speaks against a claim' },
      { name: 'research', result: 'Said: Find sources for what you are asked, and name each' },
    ]);
    const charts =
      provider === 'openai' ? [{ type: 'image', data: CHART, mimeType: 'image/png' }] : undefined;
    expect(team?.result.content).toEqual(charts);
    expect(extractor).toMatchObject({
      status: 'completed',
      result: {
        response: { about: 'a van', person: ['Ann', 'Bob'], none: false },
        attempts: [{ end: 'exception' }, { end: 'accepted' }],
      },
    });
    expect(classifier).toMatchObject({ status: 'completed', result: { answered: 'bug' } });
    expect(classifier?.result.method).toBe(provider === 'openai' ? 'contextual_calibration' : 'none');
    expect(llm.calls.map(({ api }) => api)).toEqual(Array(provider === 'openai' ? 9 : 8).fill(provider));
    const asked = JSON.stringify(llm.callsAbout(llm.calls[5]?.topic ?? '').at(-1)?.messages);
    expect(asked).toContain('That could not be read: <about> is opened and never closed');
  });

  test('the team answers a streamed message as well', { timeout: 120_000 }, async () => {
    const [asksTeam = ''] = asks;
    const said = await clone.sh(
      here(provider),
      define,
      defineAsk,
      asksTeam.replace('ask_assistant', 'ask_assistant stream=true'),
    );
    const [team] = await endsIn(said);
    expect(team).toMatchObject({ status: 'completed', result: { agentId: 'lead' } });
    expect(team?.result.functionCalls.map(({ result }: AnyJson) => typeof result)).toEqual(
      Array(3).fill('string'),
    );
    expect(llm.calls.map(({ body }) => body.stream === true)).toEqual([true, false, false, false, true]);
  });
});
