import { sendJson } from './minimal-http-client.ts';
import { initialize, type Session } from './open-session.ts';

/** A round trip in each dialect beside the tool dialect of 2025: a call that delegates once, its answer, and its result. */
type Trip = (send: Send, call: Call, value: string) => Promise<string>;
type Send = (turn: number, method: string, params: object, name: string) => Promise<string>;
interface Call {
  readonly name: string;
  readonly args: object;
}

/** What a client of each dialect declares. */
const CAPABILITIES: Readonly<Record<string, object>> = {
  directive: {},
  input_required: { sampling: {} },
  task: { sampling: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } },
};

const TRIPS: Readonly<Record<string, Trip>> = {
  async directive(send, { name, args }, value) {
    const parked = await send(0, 'tools/call', { name, arguments: args }, name);
    const agentLLMResponse = { status: 'success', data: { object: { value } } };
    const answer = {
      interactionId: /"interactionId":"([^"]+)"/.exec(parked)?.[1],
      agentLLMResponse,
      waitMs: 20_000,
    };
    return send(1, 'tools/call', { name: 'agent_llm', arguments: answer }, 'agent_llm');
  },
  async input_required(send, { name, args }, value) {
    const { requestState, inputRequests } = resultOf(
      await send(0, 'tools/call', { name, arguments: args }, name),
    );
    const inputResponses = answersTo(inputRequests, value);
    return send(1, 'tools/call', { name, arguments: args, requestState, inputResponses }, name);
  },
  async task(send, { name, args }, value) {
    const { taskId = '' } = resultOf(await send(0, 'tools/call', { name, arguments: args }, name));
    const { inputRequests } = resultOf(await send(1, 'tasks/get', { taskId }, taskId));
    await send(2, 'tasks/update', { taskId, inputResponses: answersTo(inputRequests, value) }, taskId);
    return send(3, 'tasks/get', { taskId }, taskId);
  },
};

export const DIALECTS = [...Object.keys(TRIPS), 'sampling'];

interface Target {
  readonly urlOf: (turn: number) => string;
  readonly key: string;
}

/** Makes a trip; each of its requests goes to the replica that `urlOf` names for it. */
export function dialectTrip(dialect: string, call: Call, value: string, to: Target): Promise<string> {
  if (dialect === 'sampling') return samplingTrip(call, value, to);
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': CAPABILITIES[dialect],
  };
  const send: Send = (turn, method, params, name) => {
    const headers = `mcp-protocol-version: 2026-07-28\r\nmcp-method: ${method}\r\nmcp-name: ${name}\r\n`;
    const body = { jsonrpc: '2.0', id: turn, method, params: { ...params, _meta: meta } };
    return sendJson(`${to.urlOf(turn)}/mcp`, to.key, body, 'POST', headers);
  };
  const trip = TRIPS[dialect];
  if (trip === undefined) throw new Error(`there is no dialect '${dialect}'`);
  return trip(send, call, value);
}

/** Sessions of 2025 whose client takes sampling, by their keys. */
const sessions = new Map<string, Promise<Session>>();

/** Of 2025: asked on the call's stream, answered by a response at another replica. */
async function samplingTrip({ name, args }: Call, value: string, { urlOf, key }: Target): Promise<string> {
  const opened = sessions.get(key) ?? initialize(urlOf(0), key, { sampling: {} });
  sessions.set(key, opened);
  const headers = `mcp-protocol-version: 2025-11-25\r\nmcp-session-id: ${(await opened).id}\r\n`;
  let response: Promise<string> | undefined;
  const params = { name, arguments: args, _meta: { 'baton/dialect': 'sampling' } };
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const done = await sendJson(`${urlOf(0)}/mcp`, key, body, 'POST', headers, (text) => {
    const [, id] = /"id":"([^"]+)","method":"sampling/.exec(text) ?? [];
    if (id === undefined || response !== undefined) return;
    const result = Object.values(answersTo({ [id]: {} }, value))[0];
    response = sendJson(`${urlOf(1)}/mcp`, key, { jsonrpc: '2.0', id, result }, 'POST', headers);
  });
  await response;
  return done;
}

interface DialectResult {
  readonly taskId?: string;
  readonly requestState?: string;
  readonly inputRequests?: object;
}

function resultOf(text: string): DialectResult {
  return (JSON.parse(text) as { result: DialectResult }).result;
}

function answersTo(inputRequests: object = {}, value: string): object {
  const text = JSON.stringify({ value });
  const answer = { role: 'assistant', model: 'bench', content: { type: 'text', text } };
  return Object.fromEntries(Object.keys(inputRequests).map((key) => [key, answer]));
}
