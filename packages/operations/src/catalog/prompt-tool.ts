import { orJsonText } from '@baton/protocol';
import { z } from 'zod';
import { projectRoot } from '../definition/shared-arguments.ts';
import { formatOperationGuide } from './operation-guide.ts';
import { requireOperationPrompt, promptNames } from './prompt-catalog.ts';
import { defineViewTool } from '../tools/project-tool.ts';

const context = orJsonText(z.record(z.string(), z.unknown())).meta({ type: ['object', 'string'] });

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
    const { version, system } = requireOperationPrompt(operation);
    return { operation, prompt: formatOperationGuide(operation, context), version, system };
  },
  summarize: ({ prompt }) => prompt,
});
