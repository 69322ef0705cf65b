import { parseXml } from '@rgrove/parse-xml';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import {
  type AnyJson,
  callTool,
  callToolForError,
  connectMcpClient,
  successAnswer,
} from '../harness/mcp-client.ts';

let baton: InProcessDeployment;
let client: Client;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 1, workers: 1 });
  client = await connectMcpClient(baton.url(), baton.apiKey);
});
afterAll(async () => {
  await client?.close();
  await baton?.stop();
});

/** A project whose tasks have these titles, in its tag `master`, beside a tag without a report. */
async function project(projectRoot: string, titles: readonly string[]): Promise<void> {
  const tasks = titles.map((title, at) => ({ id: at + 1, title, description: 'D', status: 'pending' }));
  const response = await fetch(`${baton.url()}/v1/projects/${projectRoot}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${baton.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ master: { tasks }, other: { tasks: [] } }),
  });
  expect(response.status).toBe(200);
}

/** Analyzes a project; the scores rise with the tasks' ids, up to 10. */
async function analyze(projectRoot: string, titles: readonly string[]): Promise<void> {
  const analyses = titles.map((taskTitle, at) => ({
    taskId: at + 1,
    taskTitle,
    complexityScore: 1 + (at % 10),
    recommendedSubtasks: at % 4,
    expansionPrompt: 'p',
    reasoning: 'r',
  }));
  let reply = await callTool(client, 'analyze_project_complexity', { projectRoot });
  while (reply.status === 'pending_agent_llm_action') {
    const { outcome } = await callTool(client, 'agent_llm', {
      interactionId: reply.interactionId,
      agentLLMResponse: successAnswer({ object: { complexityAnalysis: analyses } }),
    });
    // Many tasks are analyzed in several requests.
    reply = outcome.pending ?? outcome;
  }
  expect(reply.status).toBe('completed');
}

const chartUri = (projectRoot: string) => `baton://projects/${projectRoot}/complexity-report/chart`;

/** The chart of a project as its tool and its resource give it, which is the same. */
async function chartOf(projectRoot: string): Promise<string> {
  const args = { projectRoot, chart: true };
  const { content } = (await client.callTool({ name: 'complexity_report', arguments: args })) as AnyJson;
  const [image, ...more] = content.filter(({ type }: AnyJson) => type === 'image');
  expect([image.mimeType, more]).toEqual(['image/svg+xml', []]);
  const { contents } = await client.readResource({ uri: chartUri(projectRoot) });
  const svg = Buffer.from(image.data, 'base64').toString();
  expect(contents).toMatchObject([{ mimeType: 'image/svg+xml', text: svg }]);
  return svg;
}

interface XmlElement {
  readonly name?: string;
  readonly text?: string;
  readonly children?: readonly XmlElement[];
}

const elementsIn = (element: XmlElement): XmlElement[] => [
  element,
  ...(element.children ?? []).flatMap((child) => elementsIn(child)),
];

/** The elements of a document that a strict parser of XML takes. */
function parse(svg: string): { names: string[]; texts: string[] } {
  const elements = elementsIn(parseXml(svg) as unknown as XmlElement).filter(
    ({ name }) => name !== undefined && name !== '',
  );
  return {
    names: [...new Set(elements.map(({ name }) => name ?? ''))].sort(),
    texts: elements.filter(({ name }) => name === 'text').map(({ text }) => text ?? ''),
  };
}

test('a complexity report is an image where the call asks for it, and a resource, most complex tasks first [complexity-chart]', async () => {
  await project('plain', ['Dig', 'Plant', 'Water']);
  await analyze('plain', ['Dig', 'Plant', 'Water']);
  const { texts } = parse(await chartOf('plain'));
  expect(texts[0]).toBe('Complexity of the tasks of master');
  expect(texts.slice(2)).toEqual([
    '3. Water',
    '3, 2 subtasks',
    '2. Plant',
    '2, 1 subtask',
    '1. Dig',
    '1, 0 subtasks',
  ]);
  for (const chart of [false, undefined]) {
    const args = { projectRoot: 'plain', ...(chart === undefined ? {} : { chart }) };
    const { content } = (await client.callTool({ name: 'complexity_report', arguments: args })) as AnyJson;
    expect(content.map(({ type }: AnyJson) => type)).toEqual(['text', 'text']);
  }
});

test('titles are text of the chart, whatever is in them, and are cut [complexity-chart]', async () => {
  const titles = [
    '</text><script>alert(1)</script><!-- ]]> &amp; &x; "\'',
    'a\u0007b\u001b\u007f\u0085\uffffc',
    '\u202eright\u2066 to left\u200f',
    '‏שלום עולם',
    '👩‍👩‍👧'.repeat(100),
    'x'.repeat(200),
  ];
  await project('hostile', titles);
  await analyze('hostile', titles);
  const svg = await chartOf('hostile');
  const { names, texts } = parse(svg);
  expect(names).toEqual(['rect', 'svg', 'text', 'title']);
  expect(texts).toContain('1. </text><script>alert(1)</script><!-- ]]> &amp; &x; "\'');
  expect(texts).toContain(`6. ${'x'.repeat(55)}…`);
  expect(svg).not.toMatch(/[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Noncharacter_Code_Point}]/u);
  expect(Math.max(...texts.map((text) => [...text].length))).toBeLessThan(80);
});

test('shows the hundred most complex tasks and says how many it leaves out [complexity-chart]', async () => {
  const titles = Array.from({ length: 120 }, (_, at) => `Task ${at}`);
  await project('large', titles);
  await analyze('large', titles);
  const { texts } = parse(await chartOf('large'));
  expect(texts[0]).toBe('Complexity of the tasks of master: 100 of 120, 20 less complex ones left out');
  expect(texts).toHaveLength(2 + 2 * 100);
});

test('there is no chart of what was never analyzed, and a wrong `chart` is refused by name [complexity-chart]', async () => {
  await project('fresh', ['Dig']);
  const args = { projectRoot: 'fresh', chart: true };
  const { content, structuredContent } = (await client.callTool({
    name: 'complexity_report',
    arguments: args,
  })) as AnyJson;
  expect(structuredContent).toMatchObject({ report: null });
  expect(content.map(({ type }: AnyJson) => type)).toEqual(['text', 'text']);
  for (const uri of [chartUri('fresh'), chartUri('none'), `${chartUri('plain')}?tag=other`])
    await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32002 });
  const unknown = await callToolForError(client, 'complexity_report', { projectRoot: 'none', chart: true });
  expect(unknown.code).toBe('project_not_found');
  for (const chart of [7, 'svg', {}, [true]]) {
    const error = await callToolForError(client, 'complexity_report', { projectRoot: 'fresh', chart });
    expect(error).toMatchObject({ code: 'invalid_arguments', field: 'chart' });
  }
});
