import { classifyText, MAX_CLASSES } from '@baton/agent-definitions';
import type { JsonObject } from '@baton/protocol';
import { z } from 'zod';
import type { Operation } from '../definition/operation.ts';
import { classificationFields, sharedArguments, toClassification, textArgument } from './classification.ts';

const className = z.string().trim().min(1).max(200);

const input = z.strictObject({
  text: textArgument,
  classes: z
    .array(className)
    .min(2)
    .max(MAX_CLASSES)
    .refine(
      (names) => new Set(names.map((name) => name.toLowerCase())).size === names.length,
      'must be distinct',
    )
    .describe('The names of the classes'),
  instructions: z.string().min(1).max(10_000).optional().describe('What decides between the classes'),
  ...sharedArguments,
});
type Input = z.infer<typeof input>;

const result = z.looseObject({
  class: z.string().describe('The likeliest class where there are probabilities, otherwise the one answered'),
  answered: z.string().describe('The class that the model answered'),
  probabilities: z.record(z.string(), z.number()).optional(),
  ...classificationFields,
});

/** Which of some classes a text belongs to, by one token of the model's answer, with its probabilities where they are given. */
export const classifyOperation: Operation<Input, z.infer<typeof result>> = {
  name: 'classify',
  version: 1,
  title: 'Classify a text',
  category: 'classification',
  description:
    'Says which of the classes a text belongs to, and how likely each is where the LLM gives logprobs. With `calibrated: true` ' +
    'a second request, for a text without content, calibrates them.',
  input,
  result,
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: false, openWorldHint: true },

  *run({ classes, ...asked }) {
    const found = yield* classifyText(toClassification(classes, asked));
    const { probabilities } = found;
    const named = probabilities?.map((p, index): [string, number] => [classes[index] ?? '', p]);
    return {
      class: classes[found.index] ?? '',
      answered: classes[found.answered] ?? '',
      ...(named === undefined ? {} : { probabilities: Object.fromEntries(named) }),
      method: found.method,
      ...(named === undefined ? { note: NO_PROBABILITY } : {}),
    } satisfies JsonObject;
  },

  summarize: ({ class: name, probabilities }) =>
    probabilities === undefined
      ? `${name}. ${NO_PROBABILITY}`
      : `${name} (${probabilities[name]?.toFixed(3)})`,
};

export const NO_PROBABILITY = 'No probability was given: the answer has no logprobs that can be used.';
