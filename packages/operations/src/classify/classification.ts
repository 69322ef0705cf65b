import type { classifyText } from '@baton/agent-definitions';
import { z } from 'zod';
import { modelRoleFor } from '../definition/role-parameters.ts';
import { research } from '../definition/shared-arguments.ts';
import { booleanOrText } from '../schema/coercion.ts';

type Classification = Parameters<typeof classifyText>[0];

export const textArgument = z
  .string()
  .min(1)
  .max(100_000)
  .regex(/\S/, 'must not be blank')
  .refine((text) => text.isWellFormed(), 'must not hold half characters')
  .describe('The text to classify');

export const sharedArguments = {
  calibrated: booleanOrText(
    'True: a second request takes the bias of the prompt out of the probabilities; by default there is one request',
  ),
  research,
};

/** How the probabilities of both classifiers came about. */
export const classificationFields = {
  method: z
    .enum(['contextual_calibration', 'renormalised', 'none'])
    .describe(
      'How the probabilities were made of logprobs: divided by those of a text without content (Zhao et al. 2021), or normalised only',
    ),
  note: z.string().optional(),
};

interface Asked {
  readonly text: string;
  readonly instructions?: string | undefined;
  readonly calibrated?: boolean | undefined;
  readonly research?: boolean | undefined;
}

export function toClassification(
  classes: readonly string[],
  { text, instructions, calibrated = false, research = false }: Asked,
): Classification {
  const role = modelRoleFor(research);
  return { classes, text, instructions, calibrated, role };
}
