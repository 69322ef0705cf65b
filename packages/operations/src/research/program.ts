import { generateText, type Program, readProject, type ReadLimits } from '@baton/engine';
import { BatonError } from '@baton/protocol';
import { z } from 'zod';
import { commitWhenThereIsRoom } from '../definition/commit.ts';
import { projectGrowth, type ToolOperation } from '../definition/operation.ts';
import { ROLE_PARAMETERS } from '../definition/role-parameters.ts';
import { idTextSchema, MAX_PROMPT_LENGTH, projectRoot, prompt, tag } from '../definition/shared-arguments.ts';
import { parseTaskRef, type Project, type SeenItems, type TaskRef } from '../project/index.ts';
import { excerpt } from '../prompt-kit/excerpt.ts';
import { buildResearchMessages, DETAIL_LEVELS, researchPromptText } from './prompt.ts';
import {
  MAX_CONTEXT_FILES,
  MAX_CONTEXT_TASKS,
  parseFilePaths,
  parseTaskIds,
  readResearchContext,
} from './prompt-context.ts';

/** What the details of a task have room for beside others. */
const MAX_RESULT_LENGTH = 50_000;

const researchInput = z.strictObject({
  query: prompt.describe('What to find out'),
  taskIds: idTextSchema(2_000)
    .optional()
    .describe(`Tasks and subtasks to show, separated by commas ("15,16.2"), at most ${MAX_CONTEXT_TASKS}`),
  filePaths: z
    .string()
    .max(8_000)
    .optional()
    .describe(
      `Names of files of the project that connect_files has put there, separated by commas, at most ${MAX_CONTEXT_FILES}`,
    ),
  customContext: z.string().max(MAX_PROMPT_LENGTH).optional().describe('More to work from, as text'),
  detailLevel: z.enum(DETAIL_LEVELS).default('medium').describe('How detailed the answer is to be'),
  saveTo: idTextSchema(100)
    .refine(
      (id) => parseTaskRef(id) !== undefined,
      'must be the id of a task ("15") or of a subtask ("15.2")',
    )
    .optional()
    .describe('The task or subtask to whose details the result is added, with its date'),
  tag,
  projectRoot,
});
type ResearchInput = z.infer<typeof researchInput>;

const researchResult = z.object({
  projectRoot: z.string(),
  tag: z.string(),
  query: z.string(),
  result: z.string(),
  detailLevel: z.enum(DETAIL_LEVELS),
  /** Characters of the request. */
  contextSize: z.int(),
  /** The id to whose details the result was added. */
  savedTo: z.string().optional(),
  /** Why it was not added although `saveTo` was given: it was done, removed or full by then. */
  saveProblem: z.object({ code: z.string(), message: z.string() }).optional(),
});

/** Has a question researched with what the project says of it; `saveTo` adds the result to a task's details. */
export const researchOperation: ToolOperation<ResearchInput, z.infer<typeof researchResult>> = {
  name: 'research',
  version: 1,
  title: 'Research a question',
  category: 'task-management',
  changes: ['task'],
  description:
    'Has a question about a project researched and answered, with tasks, files and words of yours as context; `saveTo` adds ' +
    'the result to a task or subtask. The LLM call is delegated to you, in the role research: answer it with agent_llm, with text.',
  input: researchInput,
  result: researchResult,
  promptText: researchPromptText,
  nextSteps: [
    'Let what follows from it into the plan with update_task or update.',
    'Turn work that was found into a task with add_task.',
  ],
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  addsTo: ({ projectRoot, saveTo }) => (saveTo === undefined ? undefined : projectGrowth(projectRoot)),

  *run({ query, customContext, detailLevel, projectRoot, ...input }) {
    const scope = {
      query,
      projectRoot,
      tag: input.tag,
      taskIds: parseTaskIds(input.taskIds),
      filePaths: parseFilePaths(input.filePaths),
      saveTo: input.saveTo === undefined ? undefined : (parseTaskRef(input.saveTo) as TaskRef),
    };
    const found = yield* readProject(projectRoot, (project: Project | undefined, limits: ReadLimits) =>
      readResearchContext(project, scope, limits),
    );
    const messages = buildResearchMessages(found, { query, customContext, detailLevel });
    const text = yield* generateText({
      ...ROLE_PARAMETERS.research,
      role: 'research',
      messages,
      summary: `Research: ${excerpt(query, 80)}`,
      longest: MAX_RESULT_LENGTH,
    });
    const saved =
      input.saveTo === undefined
        ? {}
        : yield* save(found, { projectRoot, id: input.saveTo.trim(), query, text });
    return {
      projectRoot,
      tag: found.tag,
      query,
      result: text,
      detailLevel,
      contextSize: JSON.stringify(messages).length,
      ...saved,
    };
  },

  summarize: ({ query, savedTo, saveProblem, result }) =>
    `Researched: ${excerpt(query, 200)}` +
    `${savedTo === undefined ? '' : ` (added to ${savedTo})`}` +
    `${saveProblem === undefined ? '' : ` (not saved: ${saveProblem.message})`}\n\n${result}`,
};

type Saved =
  | { readonly savedTo: string }
  | { readonly saveProblem: { readonly code: string; readonly message: string } };

/** An answer that was paid for is given back whatever became of the task in between. */
function* save(
  { tag, seen }: { readonly tag: string; readonly seen?: SeenItems | undefined },
  { projectRoot, id, query, text }: { projectRoot: string; id: string; query: string; text: string },
): Program<Saved> {
  try {
    yield* commitWhenThereIsRoom(projectRoot, {
      command: 'append_info',
      id,
      text: `## Research: ${excerpt(query, 500)?.replaceAll(/\s+/g, ' ')}\n\n${text}`,
      tag,
      seen,
    });
    return { savedTo: id };
  } catch (thrown) {
    if (!(thrown instanceof BatonError)) throw thrown;
    return { saveProblem: { code: thrown.code, message: thrown.message.slice(0, 400) } };
  }
}
