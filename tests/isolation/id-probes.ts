import fc from 'fast-check';
import { validInputs } from '../abuse/inputs/schema-arbitraries.ts';
import type { AnyJson } from '../harness/mcp-client.ts';

/** What an id names. A task's id and its interactions' ids differ in the last digits only. */
export type IdKind = 'task' | 'interaction' | 'conversation' | 'key' | 'tenant';

/** An HTTP request whose parts hold `@id`, in the place of one id. */
export interface IdProbe {
  readonly name: string;
  readonly kind: IdKind;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** Fields of tools, path parameters by the segment before them, and resources: those that name what has one owner. */
const OWNED: Readonly<Record<string, IdKind>> = {
  'tool task_status.taskId': 'task',
  'tool cancel_task.taskId': 'task',
  'tool complete_task.taskId': 'task',
  'tool retry_task.taskId': 'task',
  'tool resume_workflow.taskId': 'task',
  'tool agent_llm.interactionId': 'interaction',
  'tool pending_interactions.interactionId': 'interaction',
  'tool get_conversation.conversationId': 'conversation',
  'tool delete_conversation.conversationId': 'conversation',
  'path tasks': 'task',
  'path conversations': 'conversation',
  'path interactions': 'interaction',
  'path keys': 'key',
  'path tenants': 'tenant',
  'resource baton://tasks/': 'task',
  'resource baton://interactions/': 'interaction',
};

/** Names of what the whole tenant shares, and of what everyone has. */
const SHARED = new Set([
  'tool id',
  'tool add_subtask.taskId',
  // A worker refuses it, in the task that the call starts (tests/agents/conversations.test.ts).
  'tool ask_assistant.conversationId',
  'path projects',
  // Each tool, and each resource, is probed for itself.
  'path tools',
  'path resources',
  'path roles',
  'resource baton://projects',
  'resource baton://projects/',
  'resource baton://prompts/',
  'path workflows',
  'resource baton://workflows/',
  'path agents',
  'path prompts',
  'resource baton://agents/',
]);

/** So many inputs are tried of each tool and route; those that their rules refuse are tried all the same. */
const INPUTS = 15;
/** The tools are called with the last over REST too, which runs the same code: with the answers of every kind where there are some. */
const REST_INPUTS = 5;

/** Every place in which an id can be sent, with generated inputs around it, and what is not known to be owned or shared. */
export function idProbes(
  tools: readonly AnyJson[],
  document: AnyJson,
  templates: readonly AnyJson[],
  seed: number,
): { probes: IdProbe[]; unknown: string[] } {
  const probes: IdProbe[] = [];
  const unknown: string[] = [];
  const kindOf = (place: string): IdKind | undefined => {
    if (OWNED[place] === undefined && !SHARED.has(place)) unknown.push(place);
    return OWNED[place];
  };
  for (const tool of tools) {
    for (const field of Object.keys(tool.inputSchema.properties ?? {})) {
      const kind = /id$/i.test(field)
        ? kindOf(field === 'id' ? 'tool id' : `tool ${tool.name}.${field}`)
        : undefined;
      if (kind === undefined) continue;
      const inputs = sample(tool.inputSchema, { [field]: ['@id'] }, seed);
      for (const input of inputs)
        probes.push(rpcProbe(`${tool.name} ${field}`, kind, 'tools/call', toolCall(tool.name, field, input)));
      for (const input of inputs.slice(-REST_INPUTS))
        probes.push({
          name: `${tool.name} ${field} over REST`,
          kind,
          method: 'POST',
          path: `/v1/tools/${tool.name}`,
          body: { ...(input as object), [field]: '@id' },
        });
    }
  }
  for (const [path, methods] of Object.entries<AnyJson>(document.paths)) {
    if (/\/tools\/\w+$/.test(path)) continue;
    for (const [, noun = '', parameter = ''] of path.matchAll(/\/([^/{]+)\/\{(\w+)\}/g)) {
      const kind = kindOf(`path ${noun}`);
      if (kind === undefined) continue;
      for (const [method, { requestBody }] of Object.entries<AnyJson>(methods)) {
        const schema = requestBody?.content?.['application/json']?.schema;
        const filled = path.replace(`{${parameter}}`, '@id').replaceAll(/\{(\w+)\}/g, '@$1');
        for (const body of schema === undefined ? [undefined] : sample(schema, {}, seed))
          probes.push({
            name: `${method} ${path} ${parameter}`,
            kind,
            method: method.toUpperCase(),
            path: filled,
            body,
          });
      }
    }
  }
  for (const { uriTemplate } of templates) {
    const kind = kindOf(`resource ${uriTemplate.slice(0, uriTemplate.indexOf('{'))}`);
    if (kind === undefined) continue;
    const uri = uriTemplate.replaceAll(/\{[^}]*\}/g, '@id');
    probes.push({
      name: `${uriTemplate} over REST`,
      kind,
      method: 'GET',
      path: `/v1/resources/${encodeURIComponent(uri).replace('%40id', '@id')}`,
    });
    for (const method of ['resources/read', 'resources/subscribe', 'resources/unsubscribe'])
      probes.push(rpcProbe(`${method} ${uriTemplate}`, kind, method, { uri }));
  }
  for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
    probes.push(rpcProbe(method, 'task', method, { taskId: '@id' }));
  const completion = { taskId: '@id', result: { done: true } };
  probes.push(rpcProbe('tasks/cancel with a result', 'task', 'tasks/cancel', completion));
  const continued = { _meta: { _task_id: '@id' } };
  probes.push(
    rpcProbe('a call that continues', 'task', 'tools/call', {
      name: 'list_tags',
      arguments: {},
      ...continued,
    }),
    rpcProbe('prompts/get that continues', 'task', 'prompts/get', { name: 'plan', ...continued }),
  );
  return { probes, unknown };
}

/** Answers of every kind, which few generated inputs are: with a text, without one, a chunk, a failure. */
const ANSWERS = [
  { status: 'success', data: { text: 'x' } },
  { status: 'success', data: {} },
  { status: 'streaming', sequence: 0, delta: 'x' },
  { status: 'error', error: { type: 'api_error', message: 'x' } },
].map((agentLLMResponse) => ({ agentLLMResponse, waitMs: 0 }));

const CLAIMS = [60_000, 0].map((leaseMs) => ({ claim: { leaseMs } }));

function sample(schema: AnyJson, live: Record<string, string[]>, seed: number): unknown[] {
  const made = fc
    .sample(validInputs(schema, live), { seed, numRuns: INPUTS })
    .filter((input) => JSON.stringify(input).length < 4_000);
  const { agentLLMResponse, claim } = schema.properties ?? {};
  return [
    {},
    ...made,
    ...(agentLLMResponse === undefined ? [] : ANSWERS),
    ...(claim === undefined ? [] : CLAIMS),
  ];
}

function toolCall(name: string, field: string, input: unknown): object {
  return { name, arguments: { ...(input as object), [field]: '@id' } };
}

function rpcProbe(name: string, kind: IdKind, method: string, params: object): IdProbe {
  const body = { jsonrpc: '2.0', id: 1, method, params };
  return { name, kind, method: 'POST', path: '/mcp', body };
}
