import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import {
  type AnyJson,
  callTool,
  connectMcpClient,
  postJsonRpc,
  successAnswer,
} from '../harness/mcp-client.ts';
import { tryRequestJson } from '../harness/http-request.ts';
import { startGatewayBeside } from '../processes/gateway-beside.ts';
import { metaWith, requestOf2026, TASKS } from './client-of-2026.ts';
import { sampled } from './sampling-client.ts';
import { openSession, TaskStreamClient } from './task-stream-client.ts';

/** Whichever dialect shows an interaction, each other may answer it: at another replica, and after the one that showed it was killed. */
let baton: InProcessDeployment;
let agent: Awaited<ReturnType<typeof connectMcpClient>>;
/** A session of 2025 whose client takes all that a client may be asked. */
let session: Record<string, string>;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
  agent = await connectMcpClient(baton.url(1), baton.apiKey);
  session = await openSession(baton.url(1), baton.apiKey, ASKABLE);
});
afterAll(async () => {
  await agent?.close();
  await baton?.stop();
});

const ASKABLE = { sampling: {}, elicitation: {} };
const WITH_TASKS = { ...ASKABLE, extensions: { [TASKS]: {} } };

/** What is asked of a model, and of a person: the call, and the same answer in each form. */
const KINDS = {
  model: {
    method: 'sampling/createMessage',
    call: { name: 'bench_echo', arguments: { text: 'Say something.' } },
    data: { object: { value: 'said' } },
    response: sampled({ value: 'said' }),
    result: { value: 'said' },
  },
  person: {
    method: 'elicitation/create',
    call: { name: 'bench_confirm', arguments: { question: 'Shall it go on?' } },
    data: { object: { ok: true } },
    response: { action: 'accept', content: { ok: true } },
    result: { action: 'accept', content: { ok: true } },
  },
};
type Kind = keyof typeof KINDS;

interface Shown {
  readonly taskId: string;
  readonly interactionId: string;
  readonly requestState?: string;
  /** Lets go of the stream that shows it. */
  readonly leave?: () => Promise<void>;
}

const call2026 = async (url: string, capabilities: object, call: object): Promise<AnyJson> => {
  const meta = metaWith(capabilities);
  const { body } = await requestOf2026(url, baton.apiKey, 'tools/call', call, { meta });
  if (body.error !== undefined) throw new Error(JSON.stringify(body.error));
  return body.result;
};
const call2025 = async (url: string, call: object): Promise<AnyJson> => {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call };
  return (await postJsonRpc(url, undefined, body, session)).body.result;
};
const ofDirective = ({ structuredContent: { taskId, interactionId, message, role } }: AnyJson): Shown => {
  expect(message).toBe(
    role === 'person' ? 'Ask the person you work for, and answer with what they say.' : 'Make this LLM call.',
  );
  return { taskId, interactionId };
};
/** The one request that is asked, which is of the method of its kind. */
function asked(kind: Kind, requests: AnyJson): string {
  const [[interactionId, { method }] = ['', {}]] = Object.entries<AnyJson>(requests);
  expect([Object.keys(requests).length, method]).toEqual([1, KINDS[kind].method]);
  return interactionId;
}
async function onStream(url: string, kind: Kind, request: AnyJson): Promise<Shown> {
  const stream = await TaskStreamClient.open(url, session, { request });
  const { id } = await stream.message(KINDS[kind].method);
  const { interactions } = await callTool(agent, 'pending_interactions', { interactionId: id });
  return { taskId: interactions[0].taskId, interactionId: id, leave: () => stream.lose() };
}

/** How each dialect shows what a call asks. */
const SHOWN_BY: Record<string, (url: string, kind: Kind) => Promise<Shown>> = {
  'directive of 2025': async (url, kind) => ofDirective(await call2025(url, KINDS[kind].call)),
  'directive of 2026': async (url, kind) => ofDirective(await call2026(url, {}, KINDS[kind].call)),
  sampling: (url, kind) => {
    const params = { ...KINDS[kind].call, _meta: { 'baton/dialect': 'sampling' } };
    return onStream(url, kind, { method: 'tools/call', params });
  },
  'tasks/result': async (url, kind) => {
    const { task } = await call2025(url, { ...KINDS[kind].call, task: {} });
    return onStream(url, kind, { method: 'tasks/result', params: { taskId: task.taskId } });
  },
  input_required: async (url, kind) => {
    const { resultType, requestState, inputRequests, _meta } = await call2026(url, ASKABLE, KINDS[kind].call);
    expect(resultType).toBe('input_required');
    const { taskId } = _meta['io.modelcontextprotocol/related-task'];
    return { taskId, interactionId: asked(kind, inputRequests), requestState };
  },
  task: async (url, kind) => {
    const { resultType, taskId } = await call2026(url, WITH_TASKS, KINDS[kind].call);
    expect(resultType).toBe('task');
    const meta = metaWith(WITH_TASKS);
    const { body } = await requestOf2026(url, baton.apiKey, 'tasks/get', { taskId }, { meta });
    return { taskId, interactionId: asked(kind, body.result.inputRequests) };
  },
};

/** How each dialect answers it. */
const ANSWERED_BY: Record<string, (url: string, kind: Kind, shown: Shown) => Promise<unknown>> = {
  agent_llm: (_url, kind, { interactionId }) => {
    const agentLLMResponse = successAnswer(KINDS[kind].data);
    return callTool(agent, 'agent_llm', { interactionId, agentLLMResponse });
  },
  REST: (url, kind, { interactionId }) =>
    tryRequestJson(`${url}/v1/interactions/${interactionId}/answer`, {
      method: 'POST',
      token: baton.apiKey,
      body: { agentLLMResponse: successAnswer(KINDS[kind].data) },
      limitMs: 20_000,
    }),
  'a response': (url, kind, { interactionId: id }) =>
    postJsonRpc(url, undefined, { jsonrpc: '2.0', id, result: KINDS[kind].response }, session),
  'tasks/update': (url, kind, { taskId, interactionId }) => {
    const params = { taskId, inputResponses: { [interactionId]: KINDS[kind].response } };
    return requestOf2026(url, baton.apiKey, 'tasks/update', params, { meta: metaWith(WITH_TASKS) });
  },
  'the repeated call': async (url, kind, { interactionId, requestState }) => {
    const inputResponses = { [interactionId]: KINDS[kind].response };
    return call2026(url, ASKABLE, { ...KINDS[kind].call, requestState, inputResponses });
  },
};

/** A call is repeated with the state that showed it. */
const isPossible = (shown: string, answered: string) =>
  answered !== 'the repeated call' || shown === 'input_required';

const CASES = Object.keys(SHOWN_BY).flatMap((shown) =>
  Object.keys(ANSWERED_BY)
    .filter((answered) => isPossible(shown, answered))
    .flatMap((answered) => (['model', 'person'] as const).map((kind) => [shown, answered, kind] as const)),
);

async function resultOf(taskId: string): Promise<AnyJson> {
  const status = await callTool(agent, 'task_status', { taskId, waitMs: 10_000 });
  return [status.status, status.result];
}

test.each(CASES)('%s shows, %s answers, of a %s', async (shownBy, answeredBy, kind) => {
  const shown = await SHOWN_BY[shownBy]!(baton.url(0), kind);
  await ANSWERED_BY[answeredBy]!(baton.url(1), kind, shown);
  expect(await resultOf(shown.taskId)).toEqual(['completed', expect.objectContaining(KINDS[kind].result)]);
  await shown.leave?.();
});

test('and so it is when the replica that showed them all was killed', async () => {
  const doomed = await startGatewayBeside(baton);
  const shown = await Promise.all(
    CASES.map(async ([shownBy, answeredBy, kind]) => ({
      answeredBy,
      kind,
      ...(await SHOWN_BY[shownBy]!(doomed.url, kind)),
    })),
  );
  await doomed.stop('SIGKILL');
  const ends = await Promise.all(
    shown.map(async ({ answeredBy, kind, ...one }) => {
      await ANSWERED_BY[answeredBy]!(baton.url(1), kind, one);
      return resultOf(one.taskId);
    }),
  );
  expect(ends).toEqual(CASES.map(([, , kind]) => ['completed', expect.objectContaining(KINDS[kind].result)]));
}, 60_000);
