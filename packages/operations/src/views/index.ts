/** What tools and resources show of a project: for each its input, its result, and a pure function in between. */
export * from './complexity-chart.ts';
export * from './get-task.ts';
export * from './get-tasks.ts';
export * from './next-task.ts';
export * from './rules-markdown.ts';
export * from './project-status.ts';
export * from './reply-room.ts';
