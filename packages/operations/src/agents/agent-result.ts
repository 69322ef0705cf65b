import type { AgentCallOutcome } from '@baton/engine';
import { type Message, withContentNamed } from '@baton/protocol';
import { z } from 'zod';

const functionCall = z.looseObject({
  id: z.string(),
  name: z.string(),
  arguments: z.unknown(),
  result: z.unknown().optional(),
  result_str: z.string().describe('What the model was told'),
  error_message: z.string().optional(),
  unsupportedHints: z
    .array(z.string())
    .optional()
    .describe('Of a specialist: hints that did not reach its model'),
  repeated: z.boolean().describe('It was called before with the same arguments, so it was not run'),
});

/** What every agent call returns beside its own fields. */
export const agentCallFields = {
  response: z.unknown().describe("The answer: the model's words, or what the parser made of them"),
  dialog: z
    .looseObject({ top_prompt: z.string(), messages: z.array(z.unknown()) })
    .describe(
      'The turn: what was asked, the function calls with their results, the answer; content beside words is named',
    ),
  functionCalls: z.array(functionCall),
  attempts: z
    .array(z.looseObject({ number: z.int(), end: z.string() }))
    .describe('Each request and how it ended'),
};

/** The fields of an agent call that has ended. */
export function agentCallResult(
  outcome: AgentCallOutcome<unknown>,
  topPrompt: string,
  asked: readonly Message[],
) {
  return {
    response: outcome.value,
    dialog: { top_prompt: topPrompt, messages: [...asked, ...outcome.added].map(withContentNamed) },
    functionCalls: outcome.trace,
    attempts: outcome.attempts,
  };
}
