/**
 * Programs over the store: `start` runs an operation's first segment where the call came in, `resume` every later
 * one in a worker. `perform-effect` does what a segment does without waiting,
 * `journal-buffer` is its journal, `project-change` commits a command to a project.
 */
export { AnswerValidator } from '@baton/answer-validation';
export { Programs } from './programs.ts';
export { commitCommand, importProject, readProject } from './project-change.ts';
export { completedResult } from './result.ts';
export { MAX_TRIES, resumeTask, type SegmentEnd } from './resume.ts';
export { type Started, startOperation } from './start.ts';
