import { orJsonText } from '@baton/protocol';
import { z } from 'zod';
import { projectRoot } from '../definition/shared-arguments.ts';
import { formatOperationGuide } from './operation-guide.ts';
import { requireToolText, promptNames } from './prompt-catalog.ts';
import { defineViewTool } from '../tools/project-tool.ts';

const context = orJsonText(z.record(z.string(), z.unknown())).meta({ type: ['object', 'string'] });

export const generatePromptTool = defineViewTool({
  name: 'generate_prompt',
  title: 'Write the text for people',
  category: 'prompts',
  description:
    'Gives the text for people that results do not carry: what an operation does, what is known of it from `context` ' +
    '(its arguments or its result), what may come next; and, of one that has an LLM work, the prompt that it is given.',
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
    version: z.int().optional().describe('Of the prompt of its LLM; absent where it has none'),
    system: z.string().optional(),
  }),
  view: (_project, { operation, context = {} }) => {
    const { promptText } = requireToolText(operation);
    return {
      operation,
      prompt: formatOperationGuide(operation, context),
      ...(promptText === undefined ? {} : { version: promptText.version, system: promptText.system }),
    };
  },
  summarize: ({ prompt }) => prompt,
});
