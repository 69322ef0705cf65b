import { BatonError, type JsonObject, toBatonError } from '@baton/protocol';
import type { ToolOutcome } from '@baton/workflows';
import { findAgentTool } from '../agents/agent-tool.ts';
import { admitCallerUnlessAdmitted } from '../call/access.ts';
import type { Call } from '../call/call.ts';
import type { Tool } from '../tools/tool.ts';
import { outcomeOf, outcomeOfError } from '../workflows/call-outcome.ts';

/** Calls a step's tool; it is admitted and counted as the call that it is. Never throws for what the tool does. */
export async function callStep(
  tools: ReadonlyMap<string, Tool>,
  step: { readonly tool: string; readonly args: JsonObject; readonly idempotencyKey: string },
  stepCall: Call,
  log: (error: unknown) => void,
): Promise<ToolOutcome> {
  try {
    const tool = tools.get(step.tool) ?? (await findAgentTool(step.tool, stepCall));
    if (tool === undefined) throw new BatonError('not_found', `There is no tool '${step.tool}' any more.`);
    const { structured } = await tool.call(step.args, stepCall, {
      'baton/idempotencyKey': step.idempotencyKey,
    });
    await admitCallerUnlessAdmitted(stepCall, tool.access);
    return outcomeOf(structured as JsonObject, tool.startTask !== undefined);
  } catch (thrown) {
    const error = toBatonError(thrown);
    if (error !== thrown) log(thrown);
    return outcomeOfError(error);
  }
}
