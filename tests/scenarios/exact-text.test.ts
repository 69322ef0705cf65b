import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  callToolForError,
  type AnyJson,
  callTool,
  connectMcpClient,
  postJsonRpc,
  successAnswer,
} from '../harness/mcp-client.ts';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';

/** What an agent posts arrives as it is, or is refused with its place: nothing of it is changed in silence. */
let baton: InProcessDeployment;
let client: Client;

beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 1, workers: 1 });
  client = await connectMcpClient(baton.url(0), baton.apiKey);
});
afterAll(() => baton.stop());

async function delegate(serviceType: string, schema?: object): Promise<string> {
  const messages = [{ role: 'user', content: 'x' }];
  const requestParameters = schema === undefined ? { messages } : { messages, schema };
  const delegatedCallDetails = { originalCommand: 'c', serviceType, requestParameters };
  return (await callTool(client, 'agent_llm', { delegatedCallDetails })).interactionId;
}

/** Posts an answer whose JSON is `response` as it stands. */
async function postAnswer(interactionId: string, response: string): Promise<AnyJson> {
  const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"agent_llm","arguments":{"interactionId":"${interactionId}","agentLLMResponse":${response}}}}`;
  const { status, body } = await postJsonRpc(baton.url(0), baton.apiKey, text);
  return { status, error: body.error?.data ?? body.result?.structuredContent?.error, ...body.result };
}

describe('a streamed answer', () => {
  const party = 'party \u{1F389}!';

  test('that is cut between characters arrives whole; half of a character is refused and stores nothing', async () => {
    const interactionId = await delegate('streamText');
    const post = async (sequence: number, delta: string) =>
      postAnswer(interactionId, JSON.stringify({ status: 'streaming', sequence, delta }));
    for (const [sequence, delta] of [party.slice(0, 7), party.slice(7)].entries()) {
      const { error } = await post(sequence, delta);
      expect(error).toMatchObject({ code: 'invalid_arguments', field: 'agentLLMResponse.delta' });
      expect(error.message).toContain('surrogate pair');
    }
    for (const [sequence, delta] of [party.slice(0, 8), party.slice(8)].entries())
      expect((await post(sequence, delta)).error).toBeUndefined();
    const { outcome } = await callTool(client, 'agent_llm', {
      interactionId,
      agentLLMResponse: successAnswer({}),
    });
    expect(outcome.result.response).toBe(party);
  });
});

describe('an integer that no JSON parser of JavaScript keeps', () => {
  const schema = { type: 'object', required: ['id'] };

  test.each([
    ['in an answer', '{"status":"success","data":{"object":{"id":12345678901234567890}}}', 400],
    ['that is infinite', '{"status":"success","data":{"object":{"id":1e999}}}', 400],
    [
      'in an answer as a string',
      JSON.stringify('{"status":"success","data":{"object":{"id":12345678901234567890}}}'),
      200,
    ],
  ])('%s is refused by its place, and the interaction stays pending', async (_where, response, http) => {
    const interactionId = await delegate('generateObject', schema);
    const { status, error } = await postAnswer(interactionId, response);
    expect([status, error.code]).toEqual([http, 'invalid_arguments']);
    expect(error.message).toMatch(/data\.object\.id', which would be read as \w+; send it as a string/);
    const exact = '{"status":"success","data":{"object":{"id":"12345678901234567890","n":9007199254740991}}}';
    const { structuredContent } = await postAnswer(interactionId, exact);
    expect(structuredContent.outcome.result.response).toEqual({
      id: '12345678901234567890',
      n: 9007199254740991,
    });
  });

  test.each([
    ['the text', '{"id":12345678901234567890}'],
    ['a code fence', 'Here:\n```json\n{"id":12345678901234567890}\n```'],
  ])('in %s of an answer is asked for again, with its place', async (_where, text) => {
    const interactionId = await delegate('generateObject', schema);
    const { structuredContent } = await postAnswer(
      interactionId,
      JSON.stringify({ status: 'success', data: { text } }),
    );
    expect(structuredContent.outcome).toMatchObject({ status: 'input_required' });
    expect(JSON.stringify(structuredContent.outcome)).toContain("12345678901234567890 at 'id'");
  });

  test('in the arguments of any tool is refused by its place', async () => {
    const text =
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"bench_echo","arguments":{"text":[9007199254740993]}}}';
    const { status, body } = await postJsonRpc(baton.url(0), baton.apiKey, text);
    expect([status, body.error.data.field]).toEqual([400, 'params.arguments.text.0']);
  });
});

test('arguments of a tool that hold half of a character are refused by their field, and change nothing', async () => {
  const title = { projectRoot: 'halves', title: 'a\ud800b', description: 'x' };
  expect(await callToolForError(client, 'add_task', title)).toMatchObject({
    code: 'invalid_arguments',
    field: 'title',
    message: expect.stringContaining('half of a surrogate pair'),
  });
});
