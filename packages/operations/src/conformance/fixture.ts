import type { Program } from '@baton/engine';
import { z } from 'zod';
import type { Operation, ToolHints } from '../definition/operation.ts';

const hints: ToolHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** What a fixture says. */
export interface Said {
  readonly text: string;
}

/** A tool that the official conformance suite calls by its name; `run` gives what its result says. */
export function fixture<Input>(
  name: string,
  description: string,
  input: z.ZodType<Input>,
  run: (input: Input) => Program<string>,
  more: Pick<Operation, 'needs' | 'asksWithinCall'> = {},
): Operation<Input, Said> {
  return {
    name,
    version: 1,
    title: name,
    category: 'delegation',
    description,
    input,
    result: z.object({ text: z.string() }),
    hints,
    *run(given) {
      return { text: yield* run(given) };
    },
    summarize: ({ text }) => text,
    ...more,
  };
}

export const NOTHING = z.strictObject({});

/** A program that asks nobody and waits for nothing. */
// biome-ignore lint/correctness/useYield: it has nothing to wait for.
export function* say(text: string): Program<string> {
  return text;
}
