import { classifyText } from '@baton/agent-definitions';
import type { JsonObject } from '@baton/protocol';
import { z } from 'zod';
import type { Operation } from '../definition/operation.ts';
import { classificationFields, sharedArguments, textArgument, toClassification } from './classification.ts';
import { NO_PROBABILITY } from './classify.ts';

const input = z.strictObject({
  text: textArgument,
  question: z
    .string()
    .min(1)
    .max(10_000)
    .regex(/\S/, 'must not be blank')
    .describe('What is asked about the text: yes or no'),
  ...sharedArguments,
});
type Input = z.infer<typeof input>;

const result = z.looseObject({
  answer: z.boolean(),
  probability: z.number().optional().describe('How likely yes is'),
  ...classificationFields,
});

/** Yes or no to a question about a text; otherwise as `classify`. */
export const binaryClassifyOperation: Operation<Input, z.infer<typeof result>> = {
  name: 'binary_classify',
  version: 1,
  title: 'Answer yes or no about a text',
  category: 'classification',
  description:
    'Answers a question about a text with yes or no, and says how likely yes is where the LLM gives logprobs.',
  input,
  result,
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: false, openWorldHint: true },

  *run({ question, ...asked }) {
    const instructions = `Answer this question about the text: ${question}`;
    const found = yield* classifyText(toClassification(['yes', 'no'], { ...asked, instructions }));
    const probability = found.probabilities?.[0];
    return {
      answer: found.index === 0,
      ...(probability === undefined ? { note: NO_PROBABILITY } : { probability }),
      method: found.method,
    } satisfies JsonObject;
  },

  summarize: ({ answer, probability }) =>
    `${answer ? 'Yes' : 'No'}${probability === undefined ? `. ${NO_PROBABILITY}` : ` (yes: ${probability.toFixed(3)})`}`,
};
