import { BatonError, isRecord, type JsonObject, toBatonError } from '@baton/protocol';
import type { ArgumentProblem, ToolOutcome } from '@baton/workflows';
import { admitCallerUnlessAdmitted } from '../call/access.ts';
import type { Call } from '../call/call.ts';
import type { Tool } from '../tools/tool.ts';

/** Calls a step's tool as the workflow's caller, admitted and counted like a call of its own. Never throws for what the tool does. */
export async function callStep(
  tools: ReadonlyMap<string, Tool>,
  step: { readonly tool: string; readonly args: JsonObject; readonly idempotencyKey: string },
  call: Call,
  log: (error: unknown) => void,
): Promise<ToolOutcome> {
  const tool = tools.get(step.tool);
  if (tool === undefined)
    return failed(new BatonError('not_found', `There is no tool '${step.tool}' any more.`));
  const stepCall: Call = { ...call, caller: call.caller.forFurtherCall() };
  try {
    const { structured } = await tool.call(step.args, stepCall, {
      'baton/idempotencyKey': step.idempotencyKey,
    });
    await admitCallerUnlessAdmitted(stepCall, tool.access);
    return outcomeOf(structured as JsonObject);
  } catch (thrown) {
    const error = toBatonError(thrown);
    if (error !== thrown) log(thrown);
    const { issues } = error.details;
    if (error.code === 'invalid_arguments' && Array.isArray(issues)) {
      return { kind: 'refused', problems: issues as ArgumentProblem[] };
    }
    return failed(error);
  }
}

function failed(error: BatonError): ToolOutcome {
  return { kind: 'failed', error: error.toWire(), repeat: error.row.repeat };
}

/** An operation's directive, or its task while it works, is no result yet. */
function outcomeOf(structured: JsonObject): ToolOutcome {
  const { status, taskId, operation } = structured;
  if (typeof taskId === 'string' && status === 'pending_agent_llm_action') {
    return { kind: 'delegated', taskId, directive: structured };
  }
  if (
    typeof taskId === 'string' &&
    typeof operation === 'string' &&
    status === 'working' &&
    !isRecord(structured['result'])
  ) {
    return { kind: 'working', taskId };
  }
  return { kind: 'completed', output: structured };
}
