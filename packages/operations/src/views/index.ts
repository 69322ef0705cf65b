/** The tools without an LLM: for each its input, its result, and a pure function over the project in between. */
export * from './get-task.ts';
export * from './get-tasks.ts';
export * from './next-task.ts';
export * from './set-task-status.ts';
