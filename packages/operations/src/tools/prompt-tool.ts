import { z } from 'zod';
import { projectRoot } from '../definition/shared-arguments.ts';
import { formatOperationGuide } from '../catalog/operation-guide.ts';
import { operationPrompt, promptNames } from '../catalog/prompt-catalog.ts';
import { defineViewTool } from './project-tool.ts';

/** Some models write nested objects as JSON text. */
const context = z
  .preprocess(
    (value) => {
      if (typeof value !== 'string') return value;
      try {
        return JSON.parse(value) as unknown;
      } catch {
        return value;
      }
    },
    z.record(z.string(), z.unknown()),
  )
  .meta({ type: ['object', 'string'] });

export const generatePromptTool = defineViewTool({
  name: 'generate_prompt',
  title: 'Write the text for people',
  description:
    'Gives the text for people that results do not carry: what an operation does, what is known of it from `context` ' +
    '(its arguments or its result), what may come next; and the prompt that its LLM is given.',
  input: z.strictObject({
    operation: z
      .string()
      .min(1)
      .max(100)
      .describe(`One of ${promptNames.join(', ')}`),
    context: context.optional().describe('The arguments of a call, or the result of one'),
    projectRoot,
  }),
  result: z.object({
    operation: z.string(),
    prompt: z.string(),
    version: z.int(),
    system: z.string(),
  }),
  view: (_project, { operation, context = {} }) => {
    const { version, system } = operationPrompt(operation);
    return { operation, prompt: formatOperationGuide(operation, context), version, system };
  },
  summarize: ({ prompt }) => prompt,
});
