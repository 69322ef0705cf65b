import {
  getTask,
  getTaskInput,
  getTaskResult,
  getTasks,
  getTasksInput,
  getTasksResult,
  nextTask,
  nextTaskInput,
  nextTaskResult,
  setTaskStatusCommand,
  setTaskStatusInput,
  setTaskStatusResult,
} from '@baton/operations';
import { commitCommand, readProject } from '@baton/runner';
import { defineTool } from './tool.ts';

const READ = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

export const getTasksTool = defineTool({
  name: 'get_tasks',
  title: 'List tasks',
  description: 'Lists the tasks of a project, all or those of some statuses, and how far it is.',
  hints: READ,
  input: getTasksInput,
  output: [getTasksResult],
  run: async (input, call) => {
    await call.caller.admit(['mcp']);
    const result = getTasks(await readProject(call.tenant, input.projectRoot), input);
    return { text: `${result.tasks.length} tasks in '${result.tag}'.`, structured: result, speakJson: true };
  },
});

export const getTaskTool = defineTool({
  name: 'get_task',
  title: 'Show a task',
  description: 'Shows one task, or one subtask, of a project with all its details.',
  hints: READ,
  input: getTaskInput,
  output: [getTaskResult],
  run: async (input, call) => {
    await call.caller.admit(['mcp']);
    const result = getTask(await readProject(call.tenant, input.projectRoot), input);
    return { text: `Task ${input.id}: ${result.task.title}`, structured: result, speakJson: true };
  },
});

export const nextTaskTool = defineTool({
  name: 'next_task',
  title: 'Find the next task',
  description: 'Finds the task to work on next: one whose dependencies are done, the most important first.',
  hints: READ,
  input: nextTaskInput,
  output: [nextTaskResult],
  run: async (input, call) => {
    await call.caller.admit(['mcp']);
    const result = nextTask(await readProject(call.tenant, input.projectRoot), input);
    const text = result.task === null ? 'No task can be begun now.' : `Next: ${result.task.title}`;
    return { text, structured: result, speakJson: true };
  },
});

export const setTaskStatusTool = defineTool({
  name: 'set_task_status',
  title: 'Set the status of tasks',
  description: 'Sets the status of tasks and subtasks of a project.',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: setTaskStatusInput,
  output: [setTaskStatusResult],
  run: async (input, call) => {
    await call.caller.admit(['mcp']);
    const { projectRoot } = input;
    const outcome = await commitCommand(call.tenant, projectRoot, setTaskStatusCommand(input));
    return {
      text: `Set to ${input.status}: ${input.id}.`,
      structured: { projectRoot, ...outcome },
      speakJson: true,
    };
  },
});
