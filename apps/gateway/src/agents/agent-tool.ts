import { agentIdSchema, type Specialist, specialistOf, toolNameOf } from '@baton/agents';
import { askAgentOperation } from '@baton/operations';
import { BatonError, type Json, type JsonObject } from '@baton/protocol';
import { admitCall, admitCaller, ANY_MCP_CALLER, edgeAdmittedAccess, MCP_SCOPE } from '../call/access.ts';
import type { AdmittedCall, Call } from '../call/call.ts';
import { operationReplySchemas } from '../tools/start-operation.ts';
import { describeReplies, type Tool } from '../tools/tool.ts';
import { startAgentTool } from './start-agent-tool.ts';

/** Who calls a specialist needs what other tools need. */
const ACCESS = edgeAdmittedAccess(MCP_SCOPE);

const OUTPUT_SCHEMA = describeReplies(operationReplySchemas(askAgentOperation));

/** A specialist as a tool: `agent_<id>`. */
export function createAgentTool(specialist: Specialist): Tool {
  const { id, name: title, description, parameters } = specialist;
  const name = toolNameOf(id);
  return {
    name,
    access: ACCESS,
    // What its schema says of arguments is asked in a thread, with the call.
    findProblems: () => [],
    async call(args, call, meta) {
      const admitted = await admitCall(call, ACCESS);
      const input = await requireFittingArguments(specialist, args ?? {}, admitted);
      return startAgentTool(id, input, admitted, meta);
    },
    listing: {
      name,
      title,
      description,
      inputSchema: { ...parameters, type: 'object' },
      outputSchema: OUTPUT_SCHEMA,
      annotations: {
        title,
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: true,
      },
      execution: { taskSupport: 'forbidden' },
    },
  };
}

/**
 * The tool of an enabled specialist of the caller's tenant; undefined for a name that is none. The caller is admitted first, unless
 * no specialist can have the name. Errors: those of the admission.
 */
export async function findAgentTool(name: string, call: Call): Promise<Tool | undefined> {
  const id = name.startsWith(toolNameOf('')) ? name.slice(toolNameOf('').length) : '';
  if (!agentIdSchema.safeParse(id).success) return undefined;
  await admitCaller(call, ANY_MCP_CALLER);
  const { entries, primary } = await call.tenant.agents.entriesOf([id]);
  const [entry] = entries;
  return entry === undefined || !entry.enabled || primary === id
    ? undefined
    : createAgentTool(specialistOf(entry));
}

/** Errors: `invalid_arguments` with what the agent's schema says against them, `limit_checks`. */
async function requireFittingArguments(
  { parameters }: Specialist,
  args: unknown,
  { services, tenant }: AdmittedCall,
): Promise<JsonObject> {
  const checked = await services.answerValidator.validateValue(tenant.id, parameters, args as Json);
  if (checked.ok) return checked.value as JsonObject;
  const field = /^[^\s:]+(?=: )/.exec(checked.problem)?.[0] ?? '';
  throw new BatonError('invalid_arguments', checked.problem, { field });
}
