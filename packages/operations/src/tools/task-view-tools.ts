import {
  getTask,
  getTaskInputSchema,
  getTaskResultSchema,
  getTasks,
  getTasksInputSchema,
  getTasksResultSchema,
  nextTask,
  nextTaskInputSchema,
  nextTaskResultSchema,
} from '../views/index.ts';
import { pluralize, defineViewTool } from './project-tool.ts';

export const getTasksTool = defineViewTool({
  name: 'get_tasks',
  title: 'List tasks',
  category: 'task-management',
  description:
    'Lists the tasks of a project, all or those of some statuses, and how far it is. A long list comes in pages: ' +
    'nextAfter is the `after` of the next one.',
  input: getTasksInputSchema,
  result: getTasksResultSchema,
  view: getTasks,
  summarize: ({ tasks, tag, nextAfter }) =>
    `${pluralize(tasks.length, 'task')} in '${tag}'${nextAfter === undefined ? '' : `; more behind task ${nextAfter}`}.`,
});

export const getTaskTool = defineViewTool({
  name: 'get_task',
  title: 'Show a task',
  category: 'task-management',
  description:
    'Shows one task, or one subtask, of a project with all its details; or several, given as a list of ids.',
  input: getTaskInputSchema,
  result: getTaskResultSchema,
  view: getTask,
  summarize: ({ task, tasks = [], notFound = [] }, { id }) =>
    task !== undefined
      ? `Task ${id}: ${task.title}`
      : `${pluralize(tasks.length, 'task')} shown${notFound.length === 0 ? '' : `; ${notFound.length} of them do not exist`}.`,
});

export const nextTaskTool = defineViewTool({
  name: 'next_task',
  title: 'Find the next task',
  category: 'task-management',
  description: 'Finds the task to work on next: one whose dependencies are done, the most important first.',
  input: nextTaskInputSchema,
  result: nextTaskResultSchema,
  view: nextTask,
  summarize: ({ task }) => (task === null ? 'No task can be begun now.' : `Next: ${task.title}`),
});
