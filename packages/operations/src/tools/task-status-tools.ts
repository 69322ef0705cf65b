import { defineChangeTool, IDEMPOTENT_DESTRUCTIVE_HINTS, WRITE_HINTS } from './project-tool.ts';
import { z } from 'zod';
import { idTextSchema, projectRoot, tag } from '../definition/shared-arguments.ts';
import { type ProjectCommand, STATUSES, statusSchema } from '../project/index.ts';
import { integerOrDigits } from '../schema/coercion.ts';
import { nextTaskInputSchema, nextTaskResultSchema } from '../views/index.ts';

export const setTaskStatusInputSchema = z.strictObject({
  id: idTextSchema(10_000).describe('Tasks ("5") and subtasks ("5.2"), separated by commas'),
  status: statusSchema.describe('The new status; a task that is done has its subtasks done too'),
  projectRoot,
  tag,
});
type SetTaskStatusInput = z.infer<typeof setTaskStatusInputSchema>;

const setTaskStatusResultSchema = z.object({
  projectRoot: z.string(),
  tag: z.string(),
  /** What changed; empty when all of it already was so. */
  updated: z.array(z.object({ id: z.string(), from: z.enum(STATUSES), to: z.enum(STATUSES) })),
});

/** The command to commit; its outcome and the project's key make up the tool's result. */
export function toSetStatusCommand({ id, status, tag }: SetTaskStatusInput): ProjectCommand {
  return { command: 'set_status', id, status, tag };
}

export const setTaskStatusTool = defineChangeTool({
  name: 'set_task_status',
  title: 'Set the status of tasks',
  category: 'task-management',
  changes: ['task'],
  description: 'Sets the status of tasks and subtasks of a project, in the place of the one they have.',
  hints: IDEMPOTENT_DESTRUCTIVE_HINTS,
  input: setTaskStatusInputSchema,
  result: setTaskStatusResultSchema,
  command: toSetStatusCommand,
  summarize: (_result, { id, status }) => `Set to ${status}: ${id}.`,
});

/** A week. */
const MAX_RESTART_MINUTES = 10_080;

const startNextTaskInputSchema = nextTaskInputSchema.extend({
  restartAfterMinutes: integerOrDigits(z.int().min(1).max(MAX_RESTART_MINUTES))
    .optional()
    .describe('Also give again what was started by this tool so many minutes ago and is still in progress'),
});

export const startNextTaskTool = defineChangeTool({
  name: 'start_next_task',
  title: 'Start the next task',
  category: 'task-management',
  changes: ['task'],
  description:
    'Sets the next task in progress and shows it: what next_task would give of what is pending. Callers at the same ' +
    'time get different ones. `task` is null where none can be started, and `message` says why.',
  hints: WRITE_HINTS,
  input: startNextTaskInputSchema,
  result: nextTaskResultSchema,
  command: ({ tag, restartAfterMinutes }) => ({ command: 'start_next', tag, restartAfterMinutes }),
  summarize: ({ message }) => message,
});
