import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ContentBlockSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callTool, connectMcpClient, type AnyJson, postJsonRpc } from '../harness/mcp-client.ts';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const annotations = { audience: ['user'], priority: 0.9, lastModified: '2025-05-03T14:30:00Z' };

/** Seed 5, 1.4: every type of content, with everything that may stand beside it. */
const BLOCKS = {
  text: { type: 'text', text: 'A tea shop: "Früh & spät" \u2615', annotations, _meta: { 'example/of': 1 } },
  image: { type: 'image', data: base64('\u0000PNG'), mimeType: 'image/png', annotations },
  audio: { type: 'audio', data: base64('RIFF'), mimeType: 'audio/wav' },
  resourceLink: {
    type: 'resource_link',
    uri: 'file:///project/src/main.rs',
    name: 'main.rs',
    title: 'Main',
    description: 'Primary application entry point',
    mimeType: 'text/x-rust',
    size: 12,
    annotations: { audience: ['assistant'], priority: 0.9 },
  },
  embeddedText: {
    type: 'resource',
    resource: {
      uri: 'file:///project/src/main.rs',
      title: 'Project Rust Main File',
      mimeType: 'text/x-rust',
      text: 'fn main() {\n    println!("Hello world!");\n}',
      annotations,
    },
  },
  embeddedBlob: {
    type: 'resource',
    resource: { uri: 'file:///logo.png', mimeType: 'image/png', blob: base64('logo') },
  },
};
const ALL = Object.values(BLOCKS);

describe('content', () => {
  let baton: InProcessDeployment;
  let client: Client;
  beforeAll(async () => {
    baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
    client = await connectMcpClient(baton.url(), baton.apiKey);
  });
  afterAll(async () => {
    await client?.close();
    await baton?.stop();
  });

  const open = (requestParameters: object, serviceType = 'generateText') =>
    callTool(client, 'agent_llm', {
      delegatedCallDetails: {
        originalCommand: 'draw',
        serviceType,
        requestParameters: { messages: [{ role: 'user', content: 'Draw.' }], ...requestParameters },
      },
    });
  /** Everything of the reply as it came, which the SDK's client would read into its own types. */
  const tool = async (name: string, args: object): Promise<AnyJson> => {
    const params = { name, arguments: args };
    const accept = { accept: 'application/json, text/event-stream' };
    const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const { result, error } = (await postJsonRpc(baton.url(1), baton.apiKey, request, accept)).body;
    return result ?? error;
  };
  const answer = (interactionId: string, data: unknown) =>
    tool('agent_llm', { interactionId, agentLLMResponse: { status: 'success', data } });

  test('content blocks of a request reach the agent unchanged [content-types]', async () => {
    const messages = [
      { role: 'system', content: 'You see.' },
      { role: 'user', content: ALL },
    ];
    const asked = await open({ messages });
    expect(asked.llmRequestForAgent.messages).toEqual(messages);
    const { interactions } = await callTool(client, 'pending_interactions', {
      interactionId: asked.interactionId,
    });
    expect(interactions[0].llmRequestForAgent.messages).toEqual(messages);
  });

  test('content blocks of an answer are returned unchanged in the outcome, the status and the resource [content-types, content-in-results]', async () => {
    const asked = await open({});
    const answered = await answer(asked.interactionId, { content: ALL, model: 'm' });
    expect(answered.structuredContent.outcome).toMatchObject({
      status: 'completed',
      result: { response: BLOCKS.text.text, content: ALL, model: 'm' },
    });
    expect(answered.content.slice(2)).toEqual(ALL);
    const status = await tool('task_status', { taskId: asked.taskId });
    expect(status.structuredContent.result.content).toEqual(ALL);
    expect(status.content.slice(2)).toEqual(ALL);
    const { contents } = await client.readResource({ uri: `baton://tasks/${asked.taskId}` });
    expect(JSON.parse((contents[0] as AnyJson).text).result.content).toEqual(ALL);
    const read = await client.callTool({ name: 'task_status', arguments: { taskId: asked.taskId } });
    expect((read.content as AnyJson[]).map(({ type }) => type)).toEqual([
      'text',
      'text',
      ...ALL.map(({ type }) => type),
    ]);
  });

  test.each(Object.entries(BLOCKS))(
    'an answer that consists only of %s is accepted [content-types, content-text, content-image, content-audio, content-link, content-embedded]',
    async (_kind, block) => {
      expect(ContentBlockSchema.safeParse(block).success).toBe(true);
      const asked = await open({});
      const { structuredContent, content } = await answer(asked.interactionId, { content: [block] });
      expect(structuredContent.outcome).toMatchObject({ status: 'completed', result: { content: [block] } });
      expect(structuredContent.outcome.result.response).toBe(block === BLOCKS.text ? BLOCKS.text.text : '');
      expect(content.slice(2)).toEqual([block]);
    },
  );

  test('an object is found beside blocks, bare or in the text of a block, and the blocks are kept [content-types]', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    };
    const words = [{ type: 'text', text: '```json\n{"city":"Oslo"}\n```' }, BLOCKS.image];
    for (const data of [
      { object: { city: 'Oslo' }, content: ALL },
      { city: 'Oslo', content: ALL },
      { content: words },
    ]) {
      const asked = await open({ schema }, 'generateObject');
      const { outcome } = (await answer(asked.interactionId, data)).structuredContent;
      expect(outcome).toMatchObject({
        status: 'completed',
        result: { response: { city: 'Oslo' }, content: data.content },
      });
    }
  });

  test('content blocks at the end of a stream never cut off its text [content-types]', async () => {
    const { interactionId } = await open({}, 'streamText');
    for (const [sequence, delta] of ['Look', ' here.'].entries())
      await tool('agent_llm', { interactionId, agentLLMResponse: { status: 'streaming', sequence, delta } });
    const { outcome } = (await answer(interactionId, { content: [BLOCKS.image] })).structuredContent;
    expect(outcome.result).toMatchObject({ response: 'Look here.', content: [BLOCKS.image] });
  });

  test("a block that is not one of MCP's stays in the data, and never breaks a client [content-in-results]", async () => {
    const odd = [{ type: 'image', data: 'not base64!', mimeType: 'image/png' }, { type: 'hologram' }, 7];
    const asked = await open({});
    const args = {
      interactionId: asked.interactionId,
      agentLLMResponse: { status: 'success', data: { text: 'x', content: odd } },
    };
    const answered = await client.callTool({ name: 'agent_llm', arguments: args });
    expect((answered.structuredContent as AnyJson).outcome.result).toMatchObject({
      response: 'x',
      content: odd,
    });
    expect(answered.content).toHaveLength(2);
  });

  test.each([
    [600_000, 'answerBytes'],
    [900_000, 'requestBytes'],
    [10_000_000, 'requestBytes'],
  ])(
    'an image of %i bytes in an answer is refused by its limit, and its request stays open',
    async (bytes, limit) => {
      const { interactionId, taskId } = await open({});
      const image = { type: 'image', data: Buffer.alloc(bytes).toString('base64'), mimeType: 'image/png' };
      const refused = await answer(interactionId, { content: [image] });
      const error = refused.data ?? refused.structuredContent.error;
      expect(error).toMatchObject({ code: 'limit_size', limit });
      expect(await callTool(client, 'task_status', { taskId })).toMatchObject({
        status: 'input_required',
        pending: { interactionId },
      });
      const { outcome } = (await answer(interactionId, { content: [BLOCKS.image] })).structuredContent;
      expect(outcome).toMatchObject({ status: 'completed', result: { content: [BLOCKS.image] } });
    },
  );
});
