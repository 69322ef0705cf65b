import {
  type AgentAnswer,
  BatonError,
  type ErrorCode,
  fromSamplingResult,
  isRecord,
  parseInteractionId,
  type RequestRole,
} from '@baton/protocol';
import type { PendingInteraction } from '@baton/store';
import type { z } from 'zod';
import {
  admitCall,
  admitCaller,
  admitCallerUnlessAdmitted,
  ANY_MCP_CALLER,
  MCP_OR_AGENT_SCOPE,
  scriptAdmittedAccess,
} from '../../../call/access.ts';
import type { Access, Call } from '../../../call/call.ts';
import { isAdmissionRefusal } from '../../../call/error-classification.ts';
import { waitUntilTaskEndsOrParks } from '../../../delegation/wait-until-task-ends-or-parks.ts';
import type { McpMethod } from '../../../json-rpc/mcp-method.ts';
import { parseRequest } from '../../../json-rpc/parse-request.ts';
import { cancelOrComplete, cancelTaskSchema, taskByIdSchema } from '../../../tasks/task-methods.ts';
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

const SCRIPT_ADMITTED = scriptAdmittedAccess(MCP_OR_AGENT_SCOPE);

/** So long `tasks/update` waits for what comes of the answers, so that the `tasks/get` behind it tells of that. Milliseconds. */
const UPDATE_WAIT_MS = 1_000;

/** As an `McpMethod`, but that it answers with the JSON of its result's members: that of a task may be large. */
export interface TasksExtensionMethod extends Pick<McpMethod, 'name' | 'access'> {
  answer(params: unknown, call: Call): Promise<string>;
}

/** The methods of the extension io.modelcontextprotocol/tasks, for clients that declare it. */
export const taskMethodsOf2026: readonly TasksExtensionMethod[] = [
  defineTaskMethod('tasks/get', SCRIPT_ADMITTED, taskByIdSchema, async ({ params }, call) => {
    const view = await call.tenant.tasks.readFor(call.caller, SCRIPT_ADMITTED.scopes, params.taskId);
    return detailedTask(view, call);
  }),
  defineTaskMethod('tasks/update', SCRIPT_ADMITTED, taskByIdSchema, async ({ params }, call) => {
    await updateTask(params.taskId, call.of2026?.inputResponses ?? null, call);
    return '';
  }),
  defineTaskMethod('tasks/cancel', ANY_MCP_CALLER, cancelTaskSchema, async ({ params }, call) => {
    await cancelOrComplete(params, await admitCall(call, ANY_MCP_CALLER)).catch((thrown: unknown) => {
      if (!(thrown instanceof BatonError) || thrown.code !== 'task_ended') throw thrown;
    });
    return '';
  }),
];

/** What is wrong with a request is told to a caller that was admitted. */
function defineTaskMethod<Request>(
  name: string,
  access: Access,
  schema: z.ZodType<Request>,
  answer: (request: Request, call: Call) => Promise<string>,
): TasksExtensionMethod {
  return {
    name,
    access,
    answer: async (params, call: Call) => {
      try {
        requireTasks(call.of2026, name);
        return await answer(parseRequest(schema, { method: name, params }), call);
      } catch (thrown) {
        const isRefused = thrown instanceof BatonError && isAdmissionRefusal(thrown);
        if (!isRefused) await admitCallerUnlessAdmitted(call, access);
        throw thrown;
      }
    },
  };
}

/** Takes answers to what a task asks: any of them, each once. Errors: `task_not_found`, the refusals of ACCEPT_ANSWER that are no matter of the interaction. */
async function updateTask(taskId: string, inputResponses: unknown, call: Call): Promise<void> {
  const { services, tenant } = call;
  const identity = call.caller.heldIdentity();
  const subscription = services.store.inbox.subscribe(tenant.tasks.topic(taskId), identity.admittedBy);
  try {
    const likely = samplingAnswers(taskId, inputResponses);
    const accepted = await acceptAnswers(likely ?? (await answersToAsked()), call, ({ code }) =>
      IGNORED.has(code),
    );
    if (accepted.length > 0) {
      const wait = waitAfter(accepted, UPDATE_WAIT_MS);
      await waitUntilTaskEndsOrParks(call, taskId, subscription, identity, wait);
    } else if (likely !== undefined) {
      // That of a task which there is not is no answer that comes late.
      await tenant.tasks.read(identity, taskId, '', 'none');
    }
  } finally {
    subscription.close();
  }

  async function answersToAsked(): Promise<ReadonlyMap<string, AgentAnswer>> {
    await admitCaller(call, accessWithAnswers(ANY_MCP_CALLER, inputResponses));
    const view = await tenant.tasks.read(identity, taskId);
    // What waits for no answer any more, and what was never asked, is ignored, and costs nothing.
    const asked = await askedRequests('pending' in view ? view.pending : [], inputResponses, call);
    return readInputResponses(inputResponses, (key) => asked.get(key));
  }
}

/** So many answers are taken without a look at what the task asks. */
const MOST_LIKELY = 16;

/** A few answers of a model to interactions of the task: most updates, which need no look at what it asks. Undefined for any other. */
function samplingAnswers(
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
async function askedRequests(
  pending: readonly PendingInteraction[],
  inputResponses: unknown,
  call: Call,
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
