import type { PromptMessage } from '../messages/prompt-message.ts';
import { traceMessages } from '../messages/trace.ts';
import type { ToolOutcome } from '../progress/tool-outcome.ts';
import { deployWorkflow } from './sample-workflow.ts';
import { completedOutcome, runWorkflowInMemory, type SimulatedGateway } from './run-workflow-in-memory.ts';

const args = { region: 'us-east-1' };

/** The messages of a run whose tools give these outcomes; a tool that is not named gives `{}`. */
export function runToMessages(
  outcomes: Record<string, ToolOutcome>,
  workflow = deployWorkflow(),
  more: Partial<SimulatedGateway> = {},
): PromptMessage[] {
  const input = { workflow, args: workflow.arguments.length === 0 ? {} : args };
  const gateway = { callTool: (tool: string) => outcomes[tool] ?? completedOutcome({}), ...more };
  return traceMessages(input, runWorkflowInMemory(input, gateway));
}

export function messagesAsText(messages: readonly PromptMessage[]): string {
  return messages
    .map(
      ({ role, content }) =>
        `${role}: ${content.type === 'text' ? content.text : content.type === 'resource' ? JSON.stringify(content.resource) : `[${content.mimeType}]`}`,
    )
    .join('\n\n');
}

/** The last message: the handoff, or that all is done. */
export function lastText(...given: Parameters<typeof runToMessages>): string {
  const last = runToMessages(...given).at(-1);
  if (last?.role !== 'assistant' || last.content.type !== 'text')
    throw new Error('the last message hands nothing off');
  return last.content.text;
}
