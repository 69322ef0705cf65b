import {
  type AgentAnswer,
  BatonError,
  type ErrorCode,
  fromSamplingResult,
  isRecord,
  parseInteractionId,
  type RequestRole,
} from '@baton/protocol';
import type { AcceptedAnswer } from '../../../delegation/answers/accept-answer.ts';
import type { PendingInteraction } from '@baton/store';
import type { z } from 'zod';
import { admitCall, ANY_MCP_CALLER } from '../../../call/access.ts';
import type { AdmittedCall, Call } from '../../../call/call.ts';
import { waitUntilTaskEndsOrParks } from '../../../delegation/wait-until-task-ends-or-parks.ts';
import type { McpMethod } from '../../../json-rpc/mcp-method.ts';
import { parseRequest } from '../../../json-rpc/parse-request.ts';
import { cancelOrComplete, cancelTaskSchema, taskByIdSchema } from '../../../tasks/task-methods.ts';
import type { Tool } from '../../../tools/tool.ts';
import { toClientRequests } from '../../client-requests/client-requests.ts';
import { methodOfResult } from '../../client-requests/client-result.ts';
import { acceptAnswers, accessWithAnswers, waitAfter } from '../../client-requests/accept-answers.ts';
import { type AskedRequest, readInputResponses } from '../input-required/input-responses.ts';
import { requireTasks } from '../request/request-capabilities.ts';
import { detailedTask } from './detailed-task.ts';

/** What was answered or has ended meanwhile waits for no answer any more. */
const IGNORED: ReadonlySet<ErrorCode> = new Set([
  'interaction_already_answered',
  'interaction_expired',
  'interaction_cancelled',
  'interaction_not_found',
]);

/** So long `tasks/update` waits for what comes of the answers, so that the `tasks/get` behind it tells of that. Milliseconds. */
const UPDATE_WAIT_MS = 1_000;

/** The methods of the extension io.modelcontextprotocol/tasks, for clients that declare it. */
export function taskMethodsOf2026(tools: ReadonlyMap<string, Tool>): readonly McpMethod[] {
  return [
    defineTaskMethod('tasks/get', taskByIdSchema, async ({ params }, call) => {
      const view = await call.tenant.tasks.read(call.identity, params.taskId);
      return { ...(await detailedTask(view, call, tools)) };
    }),
    defineTaskMethod('tasks/update', taskByIdSchema, async ({ params }, call) => {
      await updateTask(params.taskId, call.of2026?.inputResponses ?? null, call);
      return {};
    }),
    defineTaskMethod('tasks/cancel', cancelTaskSchema, async ({ params }, call) => {
      await cancelOrComplete(params, call).catch((thrown: unknown) => {
        if (!(thrown instanceof BatonError) || thrown.code !== 'task_ended') throw thrown;
      });
      return {};
    }),
  ];
}

function defineTaskMethod<Request>(
  name: string,
  schema: z.ZodType<Request>,
  answer: (request: Request, call: AdmittedCall) => ReturnType<McpMethod['answer']>,
): McpMethod {
  return {
    name,
    access: ANY_MCP_CALLER,
    answer: async (params, call: Call) => {
      const access = accessWithAnswers(ANY_MCP_CALLER, call.of2026?.inputResponses);
      const admitted = await admitCall(call, access);
      requireTasks(call.of2026, name);
      return answer(parseRequest(schema, { method: name, params }), admitted);
    },
  };
}

/** Takes answers to what a task asks: any of them, each once. Errors: `task_not_found`, the refusals of ACCEPT_ANSWER that are no matter of the interaction. */
async function updateTask(taskId: string, inputResponses: unknown, call: AdmittedCall): Promise<void> {
  const { identity, services, tenant } = call;
  const subscription = services.store.inbox.subscribe(tenant.tasks.topic(taskId), identity.admittedBy);
  try {
    const likely = likelyAnswers(taskId, inputResponses);
    let accepted = likely === undefined ? [] : await acceptAnswers(likely, call, IGNORED);
    if (accepted.length === 0) accepted = await acceptAsked();
    if (accepted.length === 0) return;
    const wait = waitAfter(accepted, UPDATE_WAIT_MS);
    await waitUntilTaskEndsOrParks(call, taskId, subscription, identity, wait);
  } finally {
    subscription.close();
  }

  async function acceptAsked(): Promise<readonly AcceptedAnswer[]> {
    const view = await tenant.tasks.read(identity, taskId);
    // What waits for no answer any more, and what was never asked, is ignored, and costs nothing.
    const asked = await askedOf('pending' in view ? view.pending : [], inputResponses, call);
    const answers = readInputResponses(inputResponses, (key) => asked.get(key));
    return acceptAnswers(answers, call, IGNORED);
  }
}

/** So many answers are taken without a look at what the task asks. */
const MOST_LIKELY = 16;

/** A few answers of a model to interactions of the task: most updates, which need no look at what it asks. Undefined for any other. */
function likelyAnswers(
  taskId: string,
  inputResponses: unknown,
): ReadonlyMap<string, AgentAnswer> | undefined {
  const given = isRecord(inputResponses) ? Object.entries(inputResponses) : [];
  if (given.length === 0 || given.length > MOST_LIKELY) return undefined;
  const answers = new Map<string, AgentAnswer>();
  for (const [key, response] of given) {
    const read = parseInteractionId(key)?.taskId === taskId ? fromSamplingResult(response) : undefined;
    if (read?.ok !== true) return undefined;
    answers.set(key, read.answer);
  }
  return answers;
}

/** What a task asks, by its keys. Keys of the requests' own are looked up where one is given: ids are known without. */
async function askedOf(
  pending: readonly PendingInteraction[],
  inputResponses: unknown,
  call: AdmittedCall,
): Promise<ReadonlyMap<string, AskedRequest>> {
  const given = isRecord(inputResponses) ? inputResponses : {};
  const asked = new Map<string, AskedRequest>();
  for (const { interactionId, request } of pending)
    asked.set(interactionId, { interactionId, method: methodFor(request.call.role, given[interactionId]) });
  if (Object.keys(given).every((key) => parseInteractionId(key) !== undefined)) return asked;
  for (const { key, interactionId, request } of (await toClientRequests(pending, call)) ?? [])
    asked.set(key, { interactionId, method: request.method });
  return asked;
}

/** Of a question to a person the form of the response tells whether it was asked for roots. */
function methodFor(role: RequestRole, response: unknown): AskedRequest['method'] {
  if (role !== 'person') return 'sampling/createMessage';
  return methodOfResult(response) === 'roots/list' ? 'roots/list' : 'elicitation/create';
}
