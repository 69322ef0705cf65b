/**
 * Programs over the store: `start` runs an operation's first segment where the call came in, `resume` every later
 * one in a worker. `recording` is the journal while a segment runs, `project-change` a command's way into a project.
 */
export { AnswerCheck } from '@baton/answers';
export { Programs } from './programs.ts';
export { commitCommand, importProject, readProject } from './project-change.ts';
export { finishedResult } from './result.ts';
export { MAX_TRIES, resumeTask, type SegmentEnd } from './resume.ts';
export { type Started, startOperation } from './start.ts';
