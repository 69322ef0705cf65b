import { agentIdSchema, type Specialist, specialistOf, toolNameOf } from '@baton/agent-definitions';
import { askAgentOperation } from '@baton/operations';
import { BatonError, type Json, type JsonObject } from '@baton/protocol';
import {
  admitCall,
  admitCaller,
  ANY_MCP_CALLER,
  deferAdmission,
  edgeAdmittedAccess,
  MCP_SCOPE,
  scriptAdmittedAccess,
} from '../call/access.ts';
import type { AdmittedCall, Call, RequestMeta, Tool } from '../call/call.ts';
import {
  operationReplySchemas,
  startOperationAsTask,
  startOperationForTool,
} from '../tools/start-operation.ts';
import { readLeniently } from '../argument-leniency/read-leniently.ts';
import { toListedOutput } from '../tool-listing/listed-schema.ts';
import { describeReplies } from '../tools/tool.ts';
import { type ToolListing, toolMetadata } from '../tool-listing/tool-metadata.ts';
import { listedParameters } from './listed-parameters.ts';

/** Who calls a specialist needs what other tools need. */
const ACCESS = edgeAdmittedAccess(MCP_SCOPE);

const HINTS = askAgentOperation.hints;
const METADATA = toolMetadata(askAgentOperation.category, HINTS, true);

const OUTPUT_SCHEMA = describeReplies(operationReplySchemas(askAgentOperation));
const LISTED_OUTPUT = toListedOutput(OUTPUT_SCHEMA);

/** A specialist as a tool: `agent_<id>`. Its listing is made where it is read: a call needs none. */
export function createAgentTool(specialist: Specialist): Tool {
  const { id, parameters } = specialist;
  return {
    name: toolNameOf(id),
    access: ACCESS,
    changes: [],
    // What its schema says of arguments is asked in a thread, with the call.
    findProblems: () => [],
    call: (args, call, meta) => startAgent(startOperationForTool, specialist, args, call, meta),
    startTask: (args, call, meta) => startAgent(startOperationAsTask, specialist, args, call, meta),
    schemas: { input: { ...parameters, type: 'object' }, output: OUTPUT_SCHEMA },
    get listing() {
      return listingOf(specialist);
    },
  };
}

function listingOf({ id, name: title, description, parameters }: Specialist): ToolListing {
  return {
    name: toolNameOf(id),
    title,
    description,
    // Its author wrote the words for models; the schema itself checks the call.
    inputSchema: listedParameters(parameters),
    outputSchema: LISTED_OUTPUT,
    annotations: { title, ...HINTS },
    execution: { taskSupport: 'optional' },
    _meta: METADATA,
  };
}

/** The id in the name of a specialist's tool; undefined for a name that no specialist's tool can have. */
export function agentIdIn(name: string): string | undefined {
  const prefix = toolNameOf('');
  return name.startsWith(prefix) ? agentIdSchema.safeParse(name.slice(prefix.length)).data : undefined;
}

/**
 * The tool of an enabled specialist of the caller's tenant; undefined for a name that is none. The caller is admitted first, unless
 * no specialist can have the name. Errors: those of the admission.
 */
export async function findAgentTool(name: string, call: Call): Promise<Tool | undefined> {
  const id = agentIdIn(name);
  if (id === undefined) return undefined;
  await admitCaller(call, ANY_MCP_CALLER);
  const { entries, primary } = await call.tenant.agents.entriesOf([id]);
  const [entry] = entries;
  return entry === undefined || !entry.enabled || primary === id
    ? undefined
    : createAgentTool(specialistOf(entry));
}

/**
 * Starts a specialist for a call of its tool: it was enabled when the call was read.
 * Errors: those of the admission and of `requireFittingArguments`, those of OPEN, `agent_not_found`.
 */
async function startAgent<Started>(
  start: (...args: Parameters<typeof startOperationForTool>) => Promise<Started>,
  specialist: Specialist,
  args: unknown,
  call: Call,
  meta: RequestMeta,
): Promise<Started> {
  const { id } = specialist;
  const admitted = await admitCall(call, ACCESS);
  const input = { agentId: id, arguments: await requireFittingArguments(specialist, args, admitted) };
  const opening = deferAdmission(admitted, scriptAdmittedAccess(MCP_SCOPE));
  return start(askAgentOperation, input, opening, meta, toolNameOf(id));
}

/** Errors: `invalid_arguments` with what the agent's schema says against them, `limit_checks`. */
async function requireFittingArguments(
  { parameters }: Specialist,
  args: unknown,
  { services, tenant }: AdmittedCall,
): Promise<JsonObject> {
  // A list of types in its author's schema says what a value may be.
  const given = readLeniently(args, parameters, false) as Json;
  const checked = await services.answerValidator.validateValue(tenant.id, parameters, given);
  if (checked.ok) return checked.value as JsonObject;
  const field = /^[^\s:]+(?=: )/.exec(checked.problem)?.[0] ?? '';
  throw new BatonError('invalid_arguments', checked.problem, { field });
}
